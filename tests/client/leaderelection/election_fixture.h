// LeaderElectionFixture: candidates that elect a leader at a LeaseServer.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/client/leaderelection/leader_election.h"
#include "tests/client/fake_server.h"
#include "tests/client/leaderelection/lease_server.h"

namespace ksim::client {

// A candidate process and the callbacks that it got.
struct Candidate {
  Candidate(Environment& env, api::Endpoint& server, const std::string& name,
            LeaderElectionOptions options = LeaderElectionOptions())
      : process(env.sim.AddProcess(name)) {
    process.Start();
    connection = std::make_unique<Connection>(env, process, server);
    ClientOptions unlimited;
    unlimited.qps = -1;
    unlimited.timeout = Seconds(5);
    client = std::make_unique<Client>(*connection, process.actor(), unlimited);
    options.name = "lock";
    if (options.identity.empty()) options.identity = name;
    LeaderCallbacks callbacks;
    sim::Simulation& sim = env.sim;
    callbacks.started = [this, &sim] { started = sim.now(), calls.push_back("started"); };
    callbacks.stopped = [this, &sim] { stopped = sim.now(), calls.push_back("stopped"); };
    callbacks.new_leader = [this](const std::string& who) { calls.push_back("new " + who); };
    elector = std::make_unique<LeaderElector>(*client, options, callbacks);
  }
  bool leads() const { return started && !stopped; }
  sim::Process& process;
  std::unique_ptr<Connection> connection;
  std::unique_ptr<Client> client;
  std::unique_ptr<LeaderElector> elector;
  std::optional<VirtualTime> started, stopped;
  std::vector<std::string> calls;
};

struct LeaderElectionFixture {
  explicit LeaderElectionFixture(api::Compat compat = api::Compat::k1_30)
      : sim(sim::SimulationOptions()),
        network(sim, sim::LatencyRange()),
        env(sim, network, kinds, compat),
        server(sim) {}
  ~LeaderElectionFixture() { sim.Shutdown(); }
  void Advance(Duration d) { sim.RunUntil(sim.now() + d); }
  Candidate& Add(const std::string& name, LeaderElectionOptions options = LeaderElectionOptions()) {
    candidates.push_back(std::make_unique<Candidate>(env, server, name, options));
    return *candidates.back();
  }
  Candidate& Start(const std::string& name) {
    Candidate& c = Add(name);
    c.elector->Start();
    return c;
  }
  sim::Simulation sim;
  sim::Network network;
  api::Kinds kinds;
  Environment env;
  LeaseServer server;
  std::vector<std::unique_ptr<Candidate>> candidates;
};

}  // namespace ksim::client
