#include "ksim/client/exchange.h"

#include <optional>
#include <utility>

#include "ksim/client/context_scope.h"
#include "ksim/client/events.h"
#include "ksim/client/fault_hooks.h"
#include "ksim/client/items_hash.h"
#include "ksim/client/link.h"
#include "ksim/sim/mailbox.h"

namespace ksim::client {
namespace {

// What the waiting sender and the answer on its way share.
struct Call {
  explicit Call(sim::Simulation& sim) : promise(sim) {}
  sim::Promise<std::unique_ptr<Answer>> promise;
  bool given_up = false;  // the sender is gone or has stopped waiting
};

// Marks the call as given up when the sender's frame goes, whatever the way.
class GiveUpGuard {
 public:
  explicit GiveUpGuard(std::shared_ptr<Call> call) : call_(std::move(call)) {}
  GiveUpGuard(const GiveUpGuard&) = delete;
  ~GiveUpGuard() { call_->given_up = true; }

 private:
  std::shared_ptr<Call> call_;
};

std::unique_ptr<Answer> TransportFailure(api::Status status, bool lost) {
  auto answer = std::make_unique<Answer>();
  answer->response.code = 0;
  answer->response.status = std::move(status);
  answer->lost = lost;
  return answer;
}

// One request on its way to a server, and the way back of its answer. It is on the wire first, the
// server holds it then; if it is dropped unanswered, the connection was lost.
class Trip {
 public:
  Trip(Connection& connection, Link::Lane& lane, sim::PayloadRef sent, std::shared_ptr<Call> call,
       std::shared_ptr<WatchPipe> pipe)
      : sim_(connection.env().sim),
        hooks_(connection.env().faults),
        link_(connection.link()),
        lane_(lane),
        server_(connection.server()),
        sent_(std::move(sent)),
        call_(std::move(call)),
        pipe_(std::move(pipe)) {
    if (pipe_) sink_ = pipe_->MakeSink();
  }
  Trip(const Trip&) = delete;
  ~Trip() {
    sink_ = nullptr;
    if (!answered_) Send(TransportFailure(api::ConnectionLost(), true));
  }

  static void Depart(std::unique_ptr<Trip> trip, std::uint64_t key, std::uint64_t event);

 private:
  static void ArriveAtServer(std::unique_ptr<Trip> trip);
  static void Accept(std::unique_ptr<Trip> trip);
  void Respond(api::Response&& response) { Send(std::make_unique<Answer>(std::move(response))); }
  void Send(std::unique_ptr<Answer> answer);
  // The answer is lost: the sender waits until its time is up.
  void Drop() { answered_ = true; }
  // What arrives at the server.
  api::Request Arriving() const;
  static void Arrive(Call& call, const std::weak_ptr<Link>& weak, api::Endpoint& server,
                     const api::ResourceInfo* resource, std::unique_ptr<Answer> answer);
  void CloseOrphan(std::uint64_t stream);

  sim::Simulation& sim_;
  const FaultHooks* hooks_;
  std::weak_ptr<Link> link_;
  Link::Lane& lane_;  // as long as link_ is there
  api::Endpoint& server_;
  sim::PayloadRef sent_;  // RequestPayload
  std::uint64_t event_ = 0;
  std::uint64_t key_ = 0;
  std::shared_ptr<Call> call_;
  std::shared_ptr<WatchPipe> pipe_;
  std::shared_ptr<api::WatchSink> sink_;  // until the server has it
  bool lose_answer_ = false;
  bool answered_ = false;
};

void Trip::Depart(std::unique_ptr<Trip> trip, std::uint64_t key, std::uint64_t event) {
  trip->key_ = key;
  trip->event_ = event;
  sim::Channel& out = trip->lane_.out;
  ContextScope scope(trip->sim_);
  scope.set_cause(event);
  out.Send(key, [trip = std::move(trip)]() mutable { ArriveAtServer(std::move(trip)); });
}

api::Request Trip::Arriving() const {
  api::Request request = sent_.As<RequestPayload>().request;
  request.event = event_;
  return request;
}

// It has reached the server, or what a fault has put in its place.
void Trip::ArriveAtServer(std::unique_ptr<Trip> trip) {
  const FaultHooks* hooks = trip->hooks_;
  if (hooks == nullptr || !hooks->has_judges()) return Accept(std::move(trip));
  Mishap mishap = hooks->Befalls(trip->Arriving());
  switch (mishap.kind) {
    case Mishap::Kind::kRequestLost:
      return trip->Drop();
    case Mishap::Kind::kRefused:
      return trip->Send(TransportFailure(api::ConnectionRefused(), false));
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

void Trip::Accept(std::unique_ptr<Trip> trip) {
  if (!trip->server_.accepting())
    return trip->Send(TransportFailure(api::ConnectionRefused(), false));
  Trip& t = *trip;  // also after the move below
  t.server_.Accept(
      t.Arriving(),
      [trip = std::move(trip)](api::Response&& response) {
        trip->lose_answer_ ? trip->Drop() : trip->Respond(std::move(response));
      },
      std::move(t.sink_));
}

void Trip::Send(std::unique_ptr<Answer> answer) {
  answered_ = true;
  const std::shared_ptr<Link> link = link_.lock();
  if (link == nullptr) {
    CloseOrphan(answer->response.stream);
    return;
  }
  if (!link->usable()) return;
  const api::ResourceInfo* const resource = sent_.As<RequestPayload>().request.resource;
  auto deliver = [call = call_, link = link_, server = &server_, resource,
                  answer = std::move(answer)]() mutable {
    Arrive(*call, link, *server, resource, std::move(answer));
  };
  if (pipe_) {
    pipe_->SendInOrder(key_, std::move(deliver));
  } else {
    lane_.in.Send(key_, std::move(deliver));
  }
}

void Trip::Arrive(Call& call, const std::weak_ptr<Link>& weak, api::Endpoint& server,
                  const api::ResourceInfo* resource, std::unique_ptr<Answer> answer) {
  if (!call.given_up) {
    call.promise.Fulfil(std::move(answer));
    return;
  }
  const std::uint64_t stream = answer->response.stream;
  if (stream == 0) return;
  if (const std::shared_ptr<Link> link = weak.lock()) {
    link->SendCloseWatch(server, resource, stream);
  } else {
    server.CloseWatch(stream);  // nobody listens on that port: reset at once
  }
}

// The client is gone: the server notices when it first writes.
void Trip::CloseOrphan(std::uint64_t stream) {
  if (stream == 0) return;
  sim_.After(Duration(), sim::TimerKind::kWork, "close of an orphaned watch",
             [server = &server_, stream] { server->CloseWatch(stream); });
}

// 0: it has no name.
std::uint64_t ObjectOf(const api::Request& r) {
  return r.name.empty() ? 0 : api::ObjectHash(r.resource->resource, r.ns, r.name);
}

std::uint64_t EmitRequest(sim::Simulation& sim, std::uint64_t object, const sim::PayloadRef& sent) {
  sim::EventInfo info;
  info.kind = sim::EventKind::kRequest;
  info.object = object;
  return sim.EmitAs(sent.As<RequestPayload>().request.actor, sim.context().cause, info, sent);
}

// `cause` is the `request` event.
std::uint64_t EmitResponse(sim::Simulation& sim, std::uint64_t object, std::uint64_t cause,
                           const Answer& answer, Duration latency) {
  const api::Request& request = answer.sent.As<RequestPayload>().request;
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
  payload->latency = latency;
  payload->object = r.object;
  payload->status = r.status;
  sim::EventInfo info;
  info.kind = sim::EventKind::kResponse;
  info.object = object;
  info.revision = payload->rv;
  return sim.EmitAs(request.actor, cause, info, sim::PayloadRef(payload));
}

}  // namespace

sim::Task<std::unique_ptr<Answer>> Exchange(Connection& connection, api::Request&& request,
                                            Duration timeout, std::shared_ptr<WatchPipe> pipe) {
  sim::Simulation& sim = connection.env().sim;
  Link& link = *connection.link();
  const VirtualTime start = sim.now();
  request.id = connection.env().next_request_id++;
  const std::uint64_t object = ObjectOf(request);
  Link::Lane& lane = link.LaneTo(connection.server(), request.resource);
  auto* const payload = new RequestPayload(std::move(request), lane.server);
  const sim::PayloadRef sent(payload);
  const std::uint64_t event = EmitRequest(sim, object, sent);
  const auto call = std::make_shared<Call>(sim);
  const GiveUpGuard guard(call);
  sim::Future<std::unique_ptr<Answer>> future = call->promise.future();
  const std::uint64_t key = link.RequestKey(payload->request, object);
  Trip::Depart(std::make_unique<Trip>(connection, lane, sent, call, pipe), key, event);
  std::optional<std::unique_ptr<Answer>> got;
  if (timeout == Duration()) {
    got = co_await future.Wait();
  } else {
    got = co_await future.WaitFor(timeout, sim::TimerKind::kWork);
  }
  std::unique_ptr<Answer> answer =
      got ? std::move(*got) : TransportFailure(api::RequestTimedOut(), true);
  answer->sent = sent;
  answer->event = EmitResponse(sim, object, event, *answer, sim.now() - start);
  co_return answer;
}

}  // namespace ksim::client
