#include "ksim/client/rest/exchange.h"

#include <optional>
#include <utility>

#include "ksim/client/core/context_scope.h"
#include "ksim/client/core/items_hash.h"
#include "ksim/client/core/payloads.h"
#include "ksim/client/rest/fault_hooks.h"
#include "ksim/client/rest/link.h"

namespace ksim::client {
namespace {

std::unique_ptr<Answer> TransportFailure(api::Status status, bool lost) {
  auto answer = std::make_unique<Answer>();
  answer->response.code = 0;
  answer->response.status = std::move(status);
  answer->lost = lost;
  return answer;
}

// 0: it has no name.
std::uint64_t ObjectOf(const api::Request& r) {
  return r.name.empty() ? 0 : api::ObjectHash(r.resource->known_as(), r.ns, r.name);
}

sim::PayloadRef Payload(Connection& connection, api::Request&& request, const SharedText& server) {
  request.id = connection.env().next_request_id++;
  return sim::PayloadRef(new RequestPayload(std::move(request), server));
}

}  // namespace

// One request on its way to a server, and the way back of its answer. It is on the wire first, the
// server holds it then; if it is dropped unanswered, the connection was lost. One object for both
// ways: with each request some are made.
class Exchange::Trip : public Pooled {
 public:
  Trip(Connection& connection, api::Request&& request, const std::shared_ptr<WatchPipe>& pipe,
       Duration notices_loss_after);
  Trip(const Trip&) = delete;
  Hold Held() {
    ++holders_;
    return Hold(this);
  }
  void Depart(std::uint64_t event, std::uint64_t key);  // `event`: of the request
  std::uint64_t EmitRequest() const;
  std::uint64_t EmitResponse(const Answer& answer) const;
  const api::Request& request() const { return sent_.As<RequestPayload>().request; }

 private:
  friend class Exchange;
  static void ArriveAtServer(InTransit trip);
  static void Accept(InTransit trip);
  void Respond(api::Response&& response) {
    Answered(std::make_unique<Answer>(std::move(response)));
  }
  void Answered(std::unique_ptr<Answer> answer);
  // The answer is lost: the sender waits until its time is up, or its connection is found dead.
  void Drop();
  // The request as it arrives at the server.
  api::Request RequestAtServer() const;
  void ArriveAtSender();
  void CloseOrphan(std::uint64_t stream);

  sim::Simulation& sim_;
  const FaultHooks* hooks_;
  std::weak_ptr<Link> link_;
  Link::Lane& lane_;  // as long as link_ is there
  api::Endpoint& server_;
  std::uint64_t object_;  // ObjectOf the request
  sim::PayloadRef sent_;  // RequestPayload
  std::uint64_t event_ = 0;
  std::uint64_t key_ = 0;
  VirtualTime start_;
  Duration notices_loss_after_;
  std::unique_ptr<Answer> answer_;  // on its way back
  sim::Arrival<std::unique_ptr<Answer>> arrival_;
  std::shared_ptr<WatchPipe> pipe_;
  std::shared_ptr<api::WatchSink> sink_;  // until the server has it
  std::uint32_t holders_ = 0;
  bool lose_answer_ = false;
  bool answered_ = false;
  bool given_up_ = false;  // the sender is gone or has stopped waiting
};

// Holds the exchange while it is unanswered. Destroying the holder before the answer is a lost
// connection.
class Exchange::InTransit {
 public:
  explicit InTransit(Hold trip) : trip_(std::move(trip)) {}
  InTransit(InTransit&& o) noexcept = default;
  InTransit& operator=(const InTransit&) = delete;
  ~InTransit() {
    if (trip_ != nullptr) ReportLostConnection();  // mostly it was moved on
  }
  Trip* operator->() const { return trip_.get(); }
  Trip& operator*() const { return *trip_; }

 private:
  void ReportLostConnection();
  Hold trip_;
};

void Exchange::InTransit::ReportLostConnection() {
  trip_->sink_ = nullptr;
  if (!trip_->answered_) trip_->Answered(TransportFailure(api::ConnectionLost(), true));
  trip_->pipe_ = nullptr;
  trip_ = nullptr;
}

void Exchange::LetGo::operator()(Trip* trip) const {
  if (--trip->holders_ == 0) delete trip;
}

Exchange::Trip::Trip(Connection& connection, api::Request&& request,
                     const std::shared_ptr<WatchPipe>& pipe, Duration notices_loss_after)
    : sim_(connection.env().sim),
      hooks_(connection.env().faults),
      link_(connection.link()),
      lane_(connection.link()->LaneTo(connection.server(), request.resource)),
      server_(connection.server()),
      object_(ObjectOf(request)),
      sent_(Payload(connection, std::move(request), lane_.server)),
      start_(sim_.now()),
      notices_loss_after_(connection.process().TimeOf(notices_loss_after)),
      arrival_(sim_),
      pipe_(pipe) {}

void Exchange::Trip::Depart(std::uint64_t event, std::uint64_t key) {
  event_ = event;
  key_ = key;
  if (pipe_) sink_ = pipe_->MakeSink();
  ContextScope scope(sim_);
  scope.set_cause(event_);
  lane_.out.Send(key_, [trip = InTransit(Held())]() mutable { ArriveAtServer(std::move(trip)); });
}

api::Request Exchange::Trip::RequestAtServer() const {
  api::Request arriving = request();
  arriving.event = event_;
  return arriving;
}

// The request has reached the server, or a fault has put something in its place.
void Exchange::Trip::ArriveAtServer(InTransit trip) {
  const FaultHooks* hooks = trip->hooks_;
  if (hooks == nullptr || !hooks->has_judges()) return Accept(std::move(trip));
  Mishap mishap = hooks->MishapOf(trip->RequestAtServer());
  switch (mishap.kind) {
    case Mishap::Kind::kRequestLost:
      return trip->Drop();
    case Mishap::Kind::kRefused:
      return trip->Answered(TransportFailure(api::ConnectionRefused(), false));
    case Mishap::Kind::kRejected: {
      api::Response response;
      response.code = mishap.status.code;
      response.status = std::move(mishap.status);
      return trip->Respond(std::move(response));
    }
    case Mishap::Kind::kAnswerLost:
      trip->lose_answer_ = true;
      break;
    case Mishap::Kind::kNone:
      break;
  }
  Accept(std::move(trip));
}

void Exchange::Trip::Drop() {
  answered_ = true;
  if (notices_loss_after_ == Duration()) return;
  sim_.After(notices_loss_after_, sim::TimerKind::kWork, "a dead connection is noticed",
             [trip = Held()] {
               if (trip->link_.expired()) return;
               trip->answer_ = TransportFailure(api::ConnectionLost(), true);
               trip->ArriveAtSender();
             });
}

void Exchange::Trip::Accept(InTransit trip) {
  if (!trip->server_.accepting())
    return trip->Answered(TransportFailure(api::ConnectionRefused(), false));
  Trip& t = *trip;  // also after the move below
  t.server_.Accept(
      t.RequestAtServer(),
      [trip = std::move(trip)](api::Response&& response) {
        trip->lose_answer_ ? trip->Drop() : trip->Respond(std::move(response));
      },
      std::move(t.sink_));
}

void Exchange::Trip::Answered(std::unique_ptr<Answer> answer) {
  answered_ = true;
  const std::shared_ptr<Link> link = link_.lock();
  if (link == nullptr) {
    CloseOrphan(answer->response.stream);
    return;
  }
  if (!link->usable()) return;
  answer_ = std::move(answer);
  auto deliver = [trip = Held()] { trip->ArriveAtSender(); };
  if (pipe_) {
    pipe_->SendInOrder(key_, std::move(deliver));
  } else {
    lane_.in.Send(key_, std::move(deliver));
  }
}

void Exchange::Trip::ArriveAtSender() {
  if (!given_up_) {
    arrival_.Set(std::move(answer_));
    return;
  }
  const std::uint64_t stream = answer_->response.stream;
  if (stream == 0) return;
  if (const std::shared_ptr<Link> link = link_.lock()) {
    link->SendCloseWatch(server_, request().resource, stream);
  } else {
    server_.CloseWatch(stream);  // nobody listens on that port: reset at once
  }
}

// The client is gone: the server notices when it first writes.
void Exchange::Trip::CloseOrphan(std::uint64_t stream) {
  if (stream == 0) return;
  sim_.After(Duration(), sim::TimerKind::kWork, "close of an orphaned watch",
             [server = &server_, stream] { server->CloseWatch(stream); });
}

std::uint64_t Exchange::Trip::EmitRequest() const {
  sim::EventInfo info;
  info.kind = sim::EventKind::kRequest;
  info.object = object_;
  return sim_.EmitAs(request().actor, sim_.context().cause, info, sent_);
}

std::uint64_t Exchange::Trip::EmitResponse(const Answer& answer) const {
  const api::Request& request = this->request();
  const api::Response& r = answer.response;
  auto* payload = new ResponsePayload;
  payload->id = request.id;
  payload->code = r.code;
  payload->reason = r.status.reason;
  payload->rv = r.rv();
  payload->from = r.from;
  payload->items = r.items.size();
  if (request.verb == api::Verb::kList) payload->items_hash = ItemsHash(r.items);
  payload->continue_token = r.continue_token;
  payload->lost = answer.lost;
  payload->latency = sim_.now() - start_;
  payload->object = r.object;
  payload->status = r.status;
  sim::EventInfo info;
  info.kind = sim::EventKind::kResponse;
  info.object = object_;
  info.revision = payload->rv;
  return sim_.EmitAs(request.actor, event_, info, sim::PayloadRef(payload));
}

namespace {

std::optional<Duration> TimeoutOf(Duration timeout) {
  if (timeout == Duration()) return std::nullopt;
  return timeout;
}

}  // namespace

Exchange::Exchange(Connection& connection, api::Request&& request, Duration timeout,
                   const std::shared_ptr<WatchPipe>& pipe, Duration notices_loss_after)
    : trip_((new Trip(connection, std::move(request), pipe, notices_loss_after))->Held()),
      waiter_(trip_->arrival_, TimeoutOf(timeout), sim::TimerKind::kWork) {
  const std::uint64_t event = trip_->EmitRequest();
  trip_->Depart(event, connection.link()->RequestKey(trip_->request(), trip_->object_));
}

// Runs however the sender's frame ends: finished, cancelled or killed.
Exchange::~Exchange() { trip_->given_up_ = true; }

std::unique_ptr<Answer> Exchange::await_resume() {
  std::optional<std::unique_ptr<Answer>> got = waiter_.await_resume();
  std::unique_ptr<Answer> answer =
      got ? std::move(*got) : TransportFailure(api::RequestTimedOut(), true);
  answer->sent = trip_->sent_;
  answer->event = trip_->EmitResponse(*answer);
  return answer;
}

}  // namespace ksim::client
