// ExternalClient: a client outside the simulation, as a process inside it. What comes in through
// the HTTP door is sent by this process as any other client of the cluster sends its requests.
#pragma once
#include <string>

#include "ksim/client/client.h"
#include "ksim/guest/network/relay.h"
#include "ksim/sim/process.h"

namespace ksim::serve {

class ExternalClient {
 public:
  // Adds the process `name`. `env` and `server` outlive it.
  ExternalClient(client::Environment& env, api::Endpoint& server, const std::string& name);
  ExternalClient(const ExternalClient&) = delete;
  ExternalClient& operator=(const ExternalClient&) = delete;

  sim::Process& process() { return process_; }
  // Where its requests start, and which server they go to.
  guest::Relay& relay() { return relay_; }

 private:
  sim::Process& process_;
  guest::Relay relay_;
};

}  // namespace ksim::serve
