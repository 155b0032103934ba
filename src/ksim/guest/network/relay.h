// Relay: sends on, as one process of the simulation, the requests that come out of an HTTP codec.
// A client that is no actor of ksim's own (a program outside, a guest) travels so as
// any other client's requests do: faults find its requests and watch streams, the trace has them,
// and oracles judge them.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/doors/pipeline.h"
#include "ksim/client/client.h"
#include "ksim/sim/network.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::guest {

class Relay final : public apiserver::Pipeline {
 public:
  // `env` and `process` outlive the relay, which outlives the process' tasks.
  Relay(client::Environment& env, sim::Process& process, api::Endpoint& server);
  ~Relay() override;
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // To be called when the process starts, and when it stops.
  void Start();
  void Stop();
  api::Endpoint& server() { return *server_; }
  // From the next request on, also after a restart.
  void ConnectTo(api::Endpoint& server);
  // A round trip to the server for what no actor of ksim's own asks (its version, what it serves):
  // `back` is called after the latency of both ways, in the order of asking, with whether the
  // server accepted it; never once the process has ended.
  void Ask(std::function<void(bool accepted)> back);
  // Whether the event of a watch that is being passed on just now is an error.
  bool passes_error() const { return passes_error_; }
  // Why the exchange failed whose reply is being dropped just now (api::ConnectionRefused, ...).
  const api::Status& failure() const { return failure_; }

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
  sim::Process& process_;
  api::Endpoint* server_;
  std::unique_ptr<client::Connection> connection_;  // null while the process is dead
  api::Status failure_;
  bool passes_error_ = false;
  // The ways of Ask to the server that it goes to.
  struct Ways;
  std::map<std::string, std::unique_ptr<Ways>> ways_;
  std::uint64_t asked_ = 0;
  std::map<std::uint64_t, OpenWatch*> watches_;  // by the stream's number
};

}  // namespace ksim::guest
