// NodeHealth: what the node lifecycle controller knows of the heartbeats of each node, and what
// follows from it at a pass.
//
// A sign of life is a heartbeat of the Ready condition, or a lease with a later renewTime, that is
// not the one known. Its time is when the controller saw it, on its own clock; what the sign says
// of its own time is never compared with it. A node without a sign for longer than the grace period
// gets its conditions Unknown.
//
// Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/base/time.h"

namespace ksim::controllers {

inline constexpr Duration kStartupGracePeriod = Seconds(60);

// A moment on the controller's clock, and on the one that it measures with.
struct ClockReading {
  ClockReading() = default;
  ClockReading(VirtualTime w, VirtualTime s) : wall(w), steady(s) {}
  VirtualTime wall, steady;
};

// The status of the Ready condition before and after a pass. A node without one was "Unknown"
// before, and has none (`current` is "") until its startup grace is over.
struct HealthVerdict {
  HealthVerdict() = default;
  std::string observed, current;
  bool has_condition() const { return !current.empty(); }
  // The node as it is to be written; nullopt: nothing has changed.
  std::optional<api::Object> update;
};

class NodeHealth {
 public:
  // `by_heartbeat`: brings back the variant nodelifecycle.probeClock.
  explicit NodeHealth(Duration grace, bool by_heartbeat = false)
      : grace_(grace), by_heartbeat_(by_heartbeat) {}

  // Takes in what the caches have of a node. `lease` may be empty.
  HealthVerdict Assess(const api::Object& node, const api::Object& lease, ClockReading now);
  // The update of the verdict has been written.
  void Written(const api::Object& node, const api::Object& lease);
  // The Ready status as last seen or written; "" if the node is not known or has none.
  std::string_view ReadyStatus(const std::string& node) const;
  bool Knows(const std::string& node) const { return nodes_.contains(node); }
  // As if there had been a sign of life right now.
  void Restart(const std::string& node, ClockReading now);

 private:
  struct Known {
    VirtualTime probed;        // when the last sign of life was seen
    bool by_calendar = false;  // `probed` is the node's creationTimestamp
    value::Value status;
    api::Object lease;
  };
  bool IsOverdue(const Known& known, Duration grace, ClockReading now) const;

  Duration grace_;
  bool by_heartbeat_;
  absl::btree_map<std::string, Known> nodes_;
};

}  // namespace ksim::controllers
