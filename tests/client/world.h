// World: a simulation with one client process and a FakeServer, for tests that read like scripts.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/core/payloads.h"
#include "ksim/client/informer.h"
#include "ksim/sim/network.h"
#include "tests/client/fake_server.h"

namespace ksim::client {

// A handler that records its calls, a line each, and folds them into the objects that it knows.
class RecordingHandler : public ResourceEventHandler {
 public:
  void OnAdd(const api::Object& object, bool initial) override;
  void OnUpdate(const api::Object& old_object, const api::Object& object) override;
  void OnDelete(const Deleted& deleted) override;
  // "add default/a@1", "add default/a@1 initial", "update default/a@1->2",
  // "delete default/a@2", "delete default/a@2 tombstone"
  std::vector<std::string> calls;
  std::map<std::string, api::Object> fold;
  std::vector<std::string> complaints;  // calls that do not fit the fold
  bool deletes_of_unknown = false;      // legal in 1.36
  std::vector<std::string> Take() { return std::exchange(calls, {}); }
};

class World {
 public:
  explicit World(api::Compat compat = api::Compat::k1_30, std::uint64_t seed = 1);
  ~World() { sim.Shutdown(); }

  // Spawns a coroutine as the process (or a part of it).
  void Run(sim::Task<void> task, std::string_view part = {}) {
    process.Spawn(std::move(task), part);
  }
  void Advance(Duration d) { sim.RunUntil(sim.now() + d); }
  // Runs until no work is due within 1 ms.
  void Settle();

  // "type informer ..." of the events of one kind, in order.
  std::vector<std::string> Events(sim::EventKind kind) const;
  const sim::Event& EventOf(std::uint64_t seq) const { return events[seq - 1]; }

  static sim::SimulationOptions Options(std::uint64_t seed);
  const api::ResourceInfo* pods() { return kinds.ByResource("", "pods"); }

  sim::Simulation sim;
  sim::Network network;
  api::Kinds kinds;
  Environment env;
  FakeServer server;
  sim::Process& process;
  std::vector<sim::Event> events;
  std::unique_ptr<Connection> connection;
};

}  // namespace ksim::client
