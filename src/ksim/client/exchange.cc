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

// The way back of one answer. The server holds it; if it is dropped uncalled, the connection was
// lost.
class ReplyPath {
 public:
  ReplyPath(const std::shared_ptr<Link>& link, api::Endpoint& server,
            const api::ResourceInfo* resource, std::uint64_t key, std::shared_ptr<Call> call,
            std::shared_ptr<WatchPipe> pipe)
      : sim_(link->sim()),
        link_(link),
        server_(server),
        resource_(resource),
        key_(key),
        call_(std::move(call)),
        pipe_(std::move(pipe)) {}
  ReplyPath(const ReplyPath&) = delete;
  ~ReplyPath() {
    if (!answered_) Send(TransportFailure(api::ConnectionLost(), true));
  }

  void Respond(api::Response&& response) {
    auto answer = std::make_unique<Answer>();
    answer->response = std::move(response);
    Send(std::move(answer));
  }

  // The answer is lost: the sender waits until its time is up.
  void Drop() { answered_ = true; }

  void Send(std::unique_ptr<Answer> answer) {
    answered_ = true;
    const std::shared_ptr<Link> link = link_.lock();
    if (link == nullptr) {
      CloseOrphan(answer->response.stream);
      return;
    }
    if (!link->usable()) return;
    auto deliver = [call = call_, link = link_, server = &server_, resource = resource_,
                    answer = std::move(answer)]() mutable {
      Arrive(*call, link, *server, resource, std::move(answer));
    };
    if (pipe_) {
      pipe_->SendInOrder(key_, std::move(deliver));
    } else {
      link->FromServer(server_, resource_).Send(key_, std::move(deliver));
    }
  }

 private:
  static void Arrive(Call& call, const std::weak_ptr<Link>& weak, api::Endpoint& server,
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
  void CloseOrphan(std::uint64_t stream) {
    if (stream == 0) return;
    sim_.After(Duration(), sim::TimerKind::kWork, "close of an orphaned watch",
               [server = &server_, stream] { server->CloseWatch(stream); });
  }

  sim::Simulation& sim_;
  std::weak_ptr<Link> link_;
  api::Endpoint& server_;
  const api::ResourceInfo* resource_;
  std::uint64_t key_;
  std::shared_ptr<Call> call_;
  std::shared_ptr<WatchPipe> pipe_;
  bool answered_ = false;
};

std::uint64_t ObjectOf(const api::Request& r) {
  return r.name.empty() ? 0 : api::ObjectHash(r.resource->resource, r.ns, r.name);
}

std::uint64_t EmitRequest(sim::Simulation& sim, const api::Request& request,
                          const api::Endpoint& server) {
  sim::EventInfo info;
  info.kind = sim::EventKind::kRequest;
  info.object = ObjectOf(request);
  return sim.EmitAs(request.actor, sim.context().cause, info,
                    sim::MakePayload<RequestPayload>(request, server.name()));
}

// `sent` is the `request` event.
std::uint64_t EmitResponse(sim::Simulation& sim, const api::Request& request, std::uint64_t sent,
                           const Answer& answer, Duration latency) {
  const api::Response& r = answer.response;
  auto* payload = new ResponsePayload;
  payload->id = answer.request_id;
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
  info.object = ObjectOf(request);
  info.revision = payload->rv;
  return sim.EmitAs(request.actor, sent, info, sim::PayloadRef(payload));
}

// The request has reached the server, or what a fault has put in its place.
void ArriveAtServer(api::Endpoint& server, api::Request&& request, std::unique_ptr<ReplyPath> path,
                    std::shared_ptr<api::WatchSink> sink, const FaultHooks* hooks) {
  Mishap mishap;
  if (hooks != nullptr) mishap = hooks->Befalls(request);
  if (mishap.kind == Mishap::Kind::kRequestLost) return path->Drop();
  if (mishap.kind == Mishap::Kind::kRejected) {
    api::Response response;
    response.code = mishap.status.code;
    response.status = mishap.status;
    return path->Respond(std::move(response));
  }
  if (!server.accepting() || mishap.kind == Mishap::Kind::kRefused) {
    path->Send(TransportFailure(api::ConnectionRefused(), false));
    return;
  }
  server.Accept(
      std::move(request),
      [path = std::move(path),
       lost = mishap.kind == Mishap::Kind::kAnswerLost](api::Response&& response) {
        if (lost) return path->Drop();
        path->Respond(std::move(response));
      },
      std::move(sink));
}

void SendRequest(Connection& connection, std::unique_ptr<api::Request> request,
                 const std::shared_ptr<Call>& call, const std::shared_ptr<WatchPipe>& pipe) {
  const std::shared_ptr<Link>& link = connection.link();
  api::Endpoint& server = connection.server();
  const api::ResourceInfo* resource = request->resource;
  const std::uint64_t key = link->RequestKey(*request);
  auto path = std::make_unique<ReplyPath>(link, server, resource, key, call, pipe);
  std::shared_ptr<api::WatchSink> sink;
  if (pipe) sink = pipe->MakeSink();
  ContextScope scope(link->sim());
  scope.set_cause(request->event);
  link->ToServer(server, resource)
      .Send(key, [server = &server, request = std::move(request), path = std::move(path),
                  sink = std::move(sink), hooks = connection.env().faults]() mutable {
        ArriveAtServer(*server, std::move(*request), std::move(path), std::move(sink), hooks);
      });
}

}  // namespace

sim::Task<std::unique_ptr<Answer>> Exchange(Connection& connection, const api::Request& request,
                                            Duration timeout, std::shared_ptr<WatchPipe> pipe) {
  sim::Simulation& sim = connection.env().sim;
  const VirtualTime sent = sim.now();
  auto wire = std::make_unique<api::Request>(request);
  const std::uint64_t id = wire->id = connection.env().next_request_id++;
  const std::uint64_t event = wire->event = EmitRequest(sim, *wire, connection.server());
  const auto call = std::make_shared<Call>(sim);
  const GiveUpGuard guard(call);
  sim::Future<std::unique_ptr<Answer>> future = call->promise.future();
  SendRequest(connection, std::move(wire), call, pipe);
  std::optional<std::unique_ptr<Answer>> got;
  if (timeout == Duration()) {
    got = co_await future.Wait();
  } else {
    got = co_await future.WaitFor(timeout, sim::TimerKind::kWork);
  }
  std::unique_ptr<Answer> answer =
      got ? std::move(*got) : TransportFailure(api::RequestTimedOut(), true);
  answer->request_id = id;
  answer->event = EmitResponse(sim, request, event, *answer, sim.now() - sent);
  co_return answer;
}

}  // namespace ksim::client
