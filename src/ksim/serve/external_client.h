// ExternalClient: a client outside the simulation, as a process inside it. What comes in through
// the HTTP door is sent by this process as any other client of the cluster sends its requests, so
// faults find its requests and watch streams, the trace has them, and oracles judge them.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "ksim/api/request.h"
#include "ksim/apiserver/doors/pipeline.h"
#include "ksim/client/client.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::serve {

class ExternalClient final : public apiserver::Pipeline {
 public:
  // Adds the process `name`. `env` and `server` outlive it.
  ExternalClient(client::Environment& env, api::Endpoint& server, const std::string& name);
  ~ExternalClient() override;
  ExternalClient(const ExternalClient&) = delete;
  ExternalClient& operator=(const ExternalClient&) = delete;

  sim::Process& process() { return process_; }
  api::Endpoint& server() { return *server_; }
  // From its next request on, also after a restart, the client uses that server.
  void ConnectTo(api::Endpoint& server);

  // --- Pipeline: a request starts on its way to the server ---
  const std::string& name() const override { return process_.name(); }
  bool accepting() const override { return process_.alive(); }
  void Serve(api::Request&& request, Reply&& reply) override;
  void ServeWatch(api::Request&& request, Reply&& reply,
                  std::shared_ptr<api::WatchSink> sink) override;
  void CloseWatch(std::uint64_t stream) override;
  void ResumeWatch(std::uint64_t stream) override;

 private:
  struct OpenWatch;
  void Identify(api::Request& request) const;
  sim::Task<void> ServeOne(api::Request request, Reply reply);
  sim::Task<void> ServeStream(api::Request request, Reply reply,
                              std::shared_ptr<api::WatchSink> sink);

  client::Environment& env_;
  api::Endpoint* server_;
  sim::Process& process_;
  std::unique_ptr<client::Connection> connection_;  // null while the process is dead
  std::map<std::uint64_t, OpenWatch*> watches_;     // by the stream's number
};

}  // namespace ksim::serve
