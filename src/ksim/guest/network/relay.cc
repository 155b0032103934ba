#include "ksim/guest/network/relay.h"

#include <optional>
#include <utility>

#include "ksim/base/time.h"
#include "ksim/client/rest/exchange.h"
#include "ksim/client/rest/watch_pipe.h"
#include "ksim/sim/mailbox.h"

namespace ksim::guest {
namespace {

// A client of Go asks for a sign of life when it has heard nothing for 30 s, and waits 15 s for it.
// Source: apimachinery pkg/util/net/http.go readIdleTimeoutSeconds, pingTimeoutSeconds.
constexpr Duration kHealthCheck = Seconds(45);

}  // namespace

// A watch being served: its coroutine owns it.
struct Relay::OpenWatch {
  explicit OpenWatch(sim::Simulation& sim) : resumed(sim) {}
  std::unique_ptr<client::WatchStream> stream;
  std::shared_ptr<client::WatchPipe> pipe;
  sim::Signal resumed;  // the client outside reads again
  bool blocked = false;
};

struct Relay::Ways {
  Ways(sim::Network& network, const std::string& client, const std::string& server)
      : out(network, client, server, "paths", sim::Channel::Order::kOrdered),
        in(network, server, client, "paths", sim::Channel::Order::kOrdered) {}
  sim::Channel out, in;
};

Relay::Relay(client::Environment& env, sim::Process& process, api::Endpoint& server)
    : env_(env), process_(process), server_(&server) {}

Relay::~Relay() = default;

void Relay::Start() {
  connection_ = std::make_unique<client::Connection>(env_, process_, *server_);
}

void Relay::Stop() {
  watches_.clear();
  connection_.reset();
}

void Relay::ConnectTo(api::Endpoint& server) {
  server_ = &server;
  if (connection_ != nullptr) connection_->ConnectTo(server);
}

void Relay::Ask(std::function<void(bool accepted)> back) {
  api::Endpoint* server = server_;
  std::unique_ptr<Ways>& ways = ways_[server->name()];
  if (ways == nullptr) ways = std::make_unique<Ways>(env_.network, process_.name(), server->name());
  const std::uint64_t key = ++asked_;
  const std::uint32_t life = process_.incarnation();
  ways->out.Send(key, [this, server, life, key, ways = ways.get(), back = std::move(back)] {
    const bool accepted = server->accepting();
    ways->in.Send(key, [this, life, accepted, back] {
      if (process_.alive() && process_.incarnation() == life) back(accepted);
    });
  });
}

void Relay::Identify(api::Request& request) const {
  request.actor = process_.actor();
  request.client = SharedText(process_.name());
}

void Relay::Serve(api::Request&& request, Reply&& reply) {
  process_.Spawn(ServeOne(std::move(request), std::move(reply)));
}

void Relay::ServeWatch(api::Request&& request, Reply&& reply,
                       std::shared_ptr<api::WatchSink> sink) {
  process_.Spawn(ServeStream(std::move(request), std::move(reply), std::move(sink)), {}, true);
}

sim::Task<void> Relay::ServeOne(api::Request request, Reply reply) {
  Identify(request);
  // The client outside has a timeout of its own, or none.
  const std::shared_ptr<client::WatchPipe> no_pipe;
  std::unique_ptr<client::Answer> answer = co_await client::Exchange(
      *connection_, std::move(request), Duration(), no_pipe, kHealthCheck);
  // A transport failure destroys the reply uncalled: the connection breaks.
  if (answer->response.code != 0) {
    reply(std::move(answer->response));
  } else {
    failure_ = std::move(answer->response.status);
  }
}

sim::Task<void> Relay::ServeStream(api::Request request, Reply reply,
                                   std::shared_ptr<api::WatchSink> sink) {
  Identify(request);
  auto pipe = std::make_shared<client::WatchPipe>(connection_->link(), connection_->server(),
                                                  request.resource);
  std::unique_ptr<client::Answer> answer =
      co_await client::Exchange(*connection_, std::move(request), Duration(), pipe, kHealthCheck);
  if (answer->response.code == 0) {
    failure_ = std::move(answer->response.status);
    co_return;
  }
  const bool opened = answer->ok();
  const std::uint64_t number = answer->response.stream;
  OpenWatch watch(env_.sim);
  if (opened) {
    watch.stream = pipe->MakeStream(number);
    watch.pipe = pipe;
    watches_[number] = &watch;
  }
  reply(std::move(answer->response));
  if (!opened) co_return;
  for (;;) {
    std::optional<api::WatchEvent> event = co_await watch.stream->Next();
    if (!event.has_value()) break;
    // The client lists anew, after a back-off of its own.
    const bool error = event->type == api::WatchEventType::kError;
    if (error) env_.sim.context().background = false;
    passes_error_ = error;
    const bool goes_on = sink->Send(*std::move(event));
    passes_error_ = false;
    if (!goes_on) {
      watch.blocked = true;
      watch.pipe->SetPaused(true);
      while (watch.blocked) co_await watch.resumed.Wait();
    }
  }
  watches_.erase(number);
  failure_ = api::ConnectionLost();  // if the stream is broken off, that is why
  sink->Close(watch.stream->end());
}

void Relay::CloseWatch(std::uint64_t stream) {
  const auto found = watches_.find(stream);
  if (found == watches_.end()) return;
  found->second->stream->Stop();
  found->second->blocked = false;
  found->second->resumed.Notify();
}

void Relay::ResumeWatch(std::uint64_t stream) {
  const auto found = watches_.find(stream);
  if (found == watches_.end()) return;
  found->second->pipe->SetPaused(false);
  found->second->blocked = false;
  found->second->resumed.Notify();
}

}  // namespace ksim::guest
