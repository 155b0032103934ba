// Part of world.h: whether a run that has nothing left to do is over.
#include <algorithm>

#include "ksim/scenario/world.h"

namespace ksim::scenario {
namespace {

constexpr Duration kLookAgain = Seconds(1);

}  // namespace

sim::Simulation::Stop World::RunUntilQuiet(Duration quiet_for,
                                           const sim::Simulation::Limits& limits) {
  using Stop = sim::Simulation::Stop;
  for (;;) {
    const Stop stop = sim_.RunUntilQuiet(quiet_for, limits);
    if (stop != Stop::kQuiescent || !HasWorkAhead()) return stop;
    if (sim_.NextDue() == VirtualTime::Max()) return stop;
    const Stop further = sim_.RunUntil(sim_.now() + kLookAgain, limits);
    if (further != Stop::kTimeReached) return further;
  }
}

void World::SetCut(std::string_view a, std::string_view b, bool on) {
  const auto pair = std::minmax(a, b);
  cuts_[{std::string(pair.first), std::string(pair.second)}] += on ? 1 : -1;
  if (on)
    network_.Cut(a, b);
  else
    network_.Mend(a, b);
}

bool World::IsCut(const std::string& a, const std::string& b) const {
  const auto pair = std::minmax(a, b);
  const auto it = cuts_.find({pair.first, pair.second});
  return it != cuts_.end() && it->second > 0;
}

// A kubelet is heard where it runs, is not paused, and a server is there that it could reach.
controllers::Heartbeats World::HeartbeatsNow() {
  controllers::Heartbeats out;
  for (const auto& [node, machine] : machines_) {
    const sim::Process* const kubelet = sim_.FindProcess("kubelet/" + node);
    if (kubelet == nullptr || removed_nodes_.contains(kubelet->name())) continue;
    const bool reaches = std::any_of(servers_.begin(), servers_.end(), [&](const auto& server) {
      const sim::Process* const process = sim_.FindProcess(server->name());
      return process != nullptr && process->alive() && !IsCut(kubelet->name(), server->name());
    });
    (kubelet->alive() && reaches && !IsPaused(*kubelet) ? out.heard : out.silent).insert(node);
  }
  return out;
}

bool World::IsPaused(const sim::Process& process) {
  return fault_hooks_.ClosedGate(process.actor(), client::Access::kRead) != nullptr ||
         fault_hooks_.ClosedGate(process.actor(), client::Access::kWrite) != nullptr;
}

bool World::HasWorkAhead() {
  const controllers::Heartbeats heartbeats = HeartbeatsNow();
  return std::any_of(components_.begin(), components_.end(), [&](const auto& component) {
    return component->body() != nullptr && !IsPaused(component->process()) &&
           component->body()->HasWorkAhead(heartbeats);
  });
}

}  // namespace ksim::scenario
