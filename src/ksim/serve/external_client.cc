#include "ksim/serve/external_client.h"

#include <optional>
#include <utility>

#include "ksim/base/time.h"
#include "ksim/client/rest/exchange.h"
#include "ksim/client/rest/watch_pipe.h"
#include "ksim/sim/mailbox.h"

namespace ksim::serve {

// A watch being served: its coroutine owns it.
struct ExternalClient::OpenWatch {
  explicit OpenWatch(sim::Simulation& sim) : resumed(sim) {}
  std::unique_ptr<client::WatchStream> stream;
  std::shared_ptr<client::WatchPipe> pipe;
  sim::Signal resumed;  // the client outside reads again
  bool blocked = false;
};

ExternalClient::ExternalClient(client::Environment& env, api::Endpoint& server,
                               const std::string& name)
    : env_(env), server_(&server), process_(env.sim.AddProcess(name)) {
  process_.OnStart(
      [this] { connection_ = std::make_unique<client::Connection>(env_, process_, *server_); });
  process_.OnStop([this] { connection_.reset(); });
}

ExternalClient::~ExternalClient() = default;

void ExternalClient::ConnectTo(api::Endpoint& server) {
  server_ = &server;
  if (connection_ != nullptr) connection_->ConnectTo(server);
}

void ExternalClient::Identify(api::Request& request) const {
  request.actor = process_.actor();
  request.client = SharedText(process_.name());
}

void ExternalClient::Serve(api::Request&& request, Reply&& reply) {
  process_.Spawn(ServeOne(std::move(request), std::move(reply)));
}

void ExternalClient::ServeWatch(api::Request&& request, Reply&& reply,
                                std::shared_ptr<api::WatchSink> sink) {
  process_.Spawn(ServeStream(std::move(request), std::move(reply), std::move(sink)), {}, true);
}

sim::Task<void> ExternalClient::ServeOne(api::Request request, Reply reply) {
  Identify(request);
  // The client outside has a timeout of its own.
  std::unique_ptr<client::Answer> answer =
      co_await client::Exchange(*connection_, std::move(request), Duration(), nullptr);
  // A transport failure destroys the reply uncalled: the connection breaks.
  if (answer->response.code != 0) reply(std::move(answer->response));
}

sim::Task<void> ExternalClient::ServeStream(api::Request request, Reply reply,
                                            std::shared_ptr<api::WatchSink> sink) {
  Identify(request);
  auto pipe = std::make_shared<client::WatchPipe>(connection_->link(), connection_->server(),
                                                  request.resource);
  std::unique_ptr<client::Answer> answer =
      co_await client::Exchange(*connection_, std::move(request), Duration(), pipe);
  if (answer->response.code == 0) co_return;
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
    if (!sink->Send(*std::move(event))) {
      watch.blocked = true;
      watch.pipe->SetPaused(true);
      while (watch.blocked) co_await watch.resumed.Wait();
    }
  }
  watches_.erase(number);
  sink->Close(watch.stream->end());
}

void ExternalClient::CloseWatch(std::uint64_t stream) {
  const auto found = watches_.find(stream);
  if (found == watches_.end()) return;
  found->second->stream->Stop();
  found->second->blocked = false;
  found->second->resumed.Notify();
}

void ExternalClient::ResumeWatch(std::uint64_t stream) {
  const auto found = watches_.find(stream);
  if (found == watches_.end()) return;
  found->second->pipe->SetPaused(false);
  found->second->blocked = false;
  found->second->resumed.Notify();
}

}  // namespace ksim::serve
