// TwoServers: etcd, two API servers on it, and a subscriber to the bus from the first event on.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "ksim/api/identity.h"
#include "ksim/api/kinds.h"
#include "ksim/apiserver/server.h"
#include "ksim/client/client.h"
#include "ksim/client/rest/fault_hooks.h"
#include "ksim/sim/network.h"
#include "ksim/sim/simulation.h"
#include "ksim/store/etcd.h"

namespace ksim::churn {

class TwoServers {
 public:
  using Watcher = std::function<void(const sim::Event&)>;
  // Returns once etcd and the servers are ready.
  TwoServers(std::uint64_t seed, api::Compat compat, const Watcher& watcher);
  ~TwoServers() { sim.Shutdown(); }

  apiserver::Server& server(std::size_t i) { return *servers_[i]; }
  const api::ResourceInfo& pods() const { return *kinds.ByName("pods"); }
  void Advance(Duration d) { sim.RunUntil(sim.now() + d); }
  // Sends a request in namespace default without waiting for the answer.
  api::Request About(api::Verb verb, std::string_view resource, std::string name) const;
  void Send(api::Request request, std::size_t to);

  sim::Simulation sim;
  sim::Network network;
  api::Kinds kinds;
  api::Identities identities;
  client::FaultHooks hooks;
  client::Environment env;
  store::Etcd etcd;

 private:
  apiserver::Shared shared_;
  std::vector<std::unique_ptr<apiserver::Server>> servers_;
};

}  // namespace ksim::churn
