// The scheduling framework: what a plugin is, what it answers, and the events that may make a
// rejected pod worth another try.
//
// Source: kube-scheduler/framework/interface.go, pkg/scheduler/framework/{types,events}.go.
#pragma once
#include <any>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/scheduler/framework/node_info.h"
#include "ksim/scheduler/framework/profile.h"
#include "ksim/value/selector.h"

namespace ksim::scheduler {

inline constexpr std::int64_t kMaxNodeScore = 100;

// A plugin's verdict on a node, or on the pod as a whole.
struct Status {
  enum class Code {
    kSuccess,
    kSkip,                         // nothing to do for this pod
    kUnschedulable,                // preemption may help
    kUnschedulableAndUnresolvable  // preemption cannot help
  };
  Status() = default;
  Status(Code c, std::string reason) : code(c), reasons{std::move(reason)} {}
  Code code = Code::kSuccess;
  std::vector<std::string> reasons;
  std::string plugin;  // set by the framework

  bool ok() const { return code == Code::kSuccess; }
  bool rejected() const {
    return code == Code::kUnschedulable || code == Code::kUnschedulableAndUnresolvable;
  }
};

// An event in the cluster, as a bit set: a plugin registers for some of the bits.
struct ClusterEvent {
  enum Bits : std::uint32_t {
    kNodeAdd = 1 << 0,
    kNodeUpdateAllocatable = 1 << 1,
    kNodeUpdateLabel = 1 << 2,
    kNodeUpdateTaint = 1 << 3,
    kNodeUpdateCondition = 1 << 4,
    kNodeUpdateAnnotation = 1 << 5,
    kNodeDelete = 1 << 6,
    kAssignedPodAdd = 1 << 7,
    kAssignedPodUpdate = 1 << 8,  // any update; a registration for it is one for all of them
    kAssignedPodDelete = 1 << 9,
    kAssignedPodLabel = 1 << 10,
    kTargetPodUpdate = 1 << 11,  // the unscheduled pod itself, nothing of what follows
    kTargetPodLabel = 1 << 12,
    kTargetPodToleration = 1 << 13,
    kClaimAdd = 1 << 14,  // PersistentVolumeClaims
    kClaimUpdate = 1 << 15,
    kVolumeAdd = 1 << 16,  // PersistentVolumes
    kVolumeUpdate = 1 << 17,
    kStorageClassAdd = 1 << 18,
    kStorageClassUpdate = 1 << 19,
    kTargetPod = kTargetPodUpdate | kTargetPodLabel | kTargetPodToleration,
    kNodeUpdate = kNodeUpdateAllocatable | kNodeUpdateLabel | kNodeUpdateTaint |
                  kNodeUpdateCondition | kNodeUpdateAnnotation,
    kWildcard = 0xffffffff,
  };
  ClusterEvent() = default;
  ClusterEvent(std::uint32_t b, std::string_view l) : bits(b), label(l) {}
  std::uint32_t bits = 0;
  std::string label;  // NodeAdd, AssignedPodDelete, UnschedulableTimeout, ...
};

// The states that the plugins' PreFilter and PreScore hand to the later points of one pod's cycle.
class CycleState {
 public:
  template <class T>
  void Write(std::string_view plugin, T state) {
    states_[std::string(plugin)] = std::move(state);
  }
  template <class T>
  const T* Read(std::string_view plugin) const {
    const auto it = states_.find(std::string(plugin));
    return it == states_.end() ? nullptr : std::any_cast<T>(&it->second);
  }

 private:
  absl::btree_map<std::string, std::any> states_;
};

using NodeList = std::vector<const NodeInfo*>;
// Scores of the feasible nodes, in their order.
using Scores = std::vector<std::int64_t>;

class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;

  // --- filter points ---
  // kSkip leaves the plugin's Filter out for this pod.
  virtual Status PreFilter(CycleState&, const api::Object& /*pod*/, const NodeList&) const {
    return {};
  }
  // The names of the only nodes that are worth asking, if the pod says so (PreFilterResult).
  virtual std::optional<std::set<std::string, std::less<>>> PreFilterNodeNames(
      const api::Object& /*pod*/) const {
    return std::nullopt;
  }
  virtual Status Filter(const CycleState&, const api::Object& /*pod*/, const NodeInfo&) const {
    return {};
  }

  // --- score points; weight 0 = does not score ---
  virtual std::int64_t weight() const { return 0; }
  // kSkip leaves the plugin's Score out for this pod. `all` is the whole cluster.
  virtual Status PreScore(CycleState&, const api::Object& /*pod*/, const NodeList& /*feasible*/,
                          const NodeList& /*all*/) const {
    return {};
  }
  virtual std::int64_t Score(const CycleState&, const api::Object& /*pod*/, const NodeInfo&) const {
    return 0;
  }
  virtual void Normalize(const CycleState&, const api::Object& /*pod*/, const NodeList&,
                         Scores&) const {}

  // --- requeueing ---
  virtual std::uint32_t EventsToRegister(const Profile&) const { return 0; }
  // Is this event worth another try for a pod that the plugin rejected? `before` and `after` are
  // the object of the event; either may be empty.
  virtual bool QueueingHint(const api::Object& /*pod*/, const ClusterEvent&,
                            const api::Object& /*before*/, const api::Object& /*after*/) const {
    return true;
  }
};

// helper/normalize_score.go DefaultNormalizeScore: scales to 0..100 by the largest, or reverses.
void NormalizeScores(Scores& scores, bool reverse);

// The events that a plugin about single nodes registers for: a new node and, with hints, the
// updates `hinted`. Without hints, all updates, since preCheckForNode may have held back the one
// that would have helped.
std::uint32_t NodeEvents(const Profile& profile, std::uint32_t hinted);
// The pod is on a node, or nominated to one.
bool IsAssignedOrNominated(const api::Object& pod);

// The selectors of the Services and workloads that a pod belongs to; none if there is none
// (plugins/helper/spread.go DefaultSelector).
using SelectorSource = std::function<std::vector<value::LabelSelector>(const api::Object& pod)>;

}  // namespace ksim::scheduler
