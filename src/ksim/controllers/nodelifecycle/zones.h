// Zones: what is known of each zone, and what follows for the rate of its taints when much of it is
// down.
//
// Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go ComputeZoneState,
// handleDisruption, ReducedQPSFunc, setLimiterInZone, addPodEvictorForNewZone.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/controllers/nodelifecycle/taint_queue.h"

namespace ksim::controllers {

enum class ZoneState : std::uint8_t { kInitial, kNormal, kPartialDisruption, kFullDisruption };

// The nodes of a zone by whether they are ready.
struct ZoneCount {
  std::int64_t ready = 0, not_ready = 0;
  std::int64_t size() const { return ready + not_ready; }
};

// No node is ready: kFullDisruption. More than two are not, and that is at least 55 of 100:
// kPartialDisruption. Upstream divides 32-bit floating-point numbers; for fewer than a million
// nodes that is the same.
ZoneState ComputeZoneState(const ZoneCount& zone);
// A zone of more than 50 nodes goes on slowly when most of it is down, a smaller one stops.
EvictionRate RateOf(ZoneState state, std::int64_t zone_size);

class Zones {
 public:
  // `stops`: false brings back the variant nodelifecycle.fullDisruption.
  explicit Zones(bool stops = true) : stops_(stops) {}
  using Counts = absl::btree_map<std::string, ZoneCount>;

  bool Knows(const std::string& zone) const { return states_.contains(zone); }
  // A new queue, unless the zone has a state.
  void AddIfNew(const std::string& zone, VirtualTime now);
  TaintQueue& QueueOf(const std::string& zone) { return *queues_.at(zone); }
  TaintQueue* FindQueue(const std::string& zone) const;
  // In order of their names.
  std::vector<std::string> WithQueues() const;

  enum class Change : std::uint8_t { kNone, kAllDown, kBackFromAllDown };
  // Takes a pass' counts in and sets the rates. kAllDown: every zone is without a ready node for
  // the first time: the taints go, and then nobody is evicted any more (StopAll).
  // kBackFromAllDown: that is over, and every node's grace begins anew.
  Change TakeIn(const Counts& counts, VirtualTime now);
  void StopAll(VirtualTime now);

 private:
  void SetRate(const std::string& zone, ZoneState state, const Counts& counts, VirtualTime now);

  bool stops_;
  absl::btree_map<std::string, ZoneState> states_;
  absl::btree_map<std::string, std::unique_ptr<TaintQueue>> queues_;
};

}  // namespace ksim::controllers
