#include "ksim/controllers/daemonset/daemon_rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "ksim/api/pod.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

// intstr GetScaledValueFromIntOrPercent, rounded up.
std::optional<std::int64_t> Scaled(const Value& int_or_percent, std::int64_t total) {
  if (int_or_percent.is_int()) return int_or_percent.AsInt();
  const std::string_view text = int_or_percent.AsString();
  if (!text.ends_with('%')) return std::nullopt;
  std::int64_t percent = 0;
  const char* const last = text.data() + text.size() - 1;
  const auto [end, error] = std::from_chars(text.data(), last, percent);
  if (error != std::errc() || end != last) return std::nullopt;
  return (percent * total + 99) / 100;
}

// The parameters of a rolling update; null of another strategy.
const Value& RollingUpdateOf(const api::Object& daemon_set) {
  static const Path kType{"updateStrategy", "type"}, kRolling{"updateStrategy", "rollingUpdate"};
  static const Value none;
  if (daemon_set.spec().Get(kType).AsString() != "RollingUpdate") return none;
  return daemon_set.spec().Get(kRolling);
}

void AddAll(const std::vector<std::string>& names, std::size_t count,
            std::vector<std::string>* out) {
  out->insert(out->end(), names.begin(),
              names.begin() + static_cast<std::ptrdiff_t>(std::min(count, names.size())));
}

// One rolling update's decision.
class Rollout {
 public:
  explicit Rollout(RolloutInput input)
      : in_(std::move(input)),
        placement_(in_.daemon_set),
        generation_(TemplateGenerationOf(in_.daemon_set)),
        min_ready_(Seconds(in_.daemon_set.spec().Get("minReadySeconds").AsInt())) {}

  DaemonChanges Plan() {
    CountNodes();
    const std::optional<std::int64_t> unavailable = UnavailableCount(in_.daemon_set, desired_);
    const std::optional<std::int64_t> surge = SurgeCount(in_.daemon_set, desired_);
    if (!unavailable || !surge) {
      changes_.error = fmt::format("couldn't get unavailable numbers: invalid value for {}",
                                   unavailable ? "MaxSurge" : "MaxUnavailable");
      return std::move(changes_);
    }
    // Neither may be what a server without defaults has; then one node at a time.
    const bool stuck = desired_ > 0 && *unavailable == 0 && *surge == 0;
    if (*surge == 0)
      PlanReplacement(stuck ? 1 : *unavailable);
    else
      PlanSurge(*surge);
    return std::move(changes_);
  }

 private:
  // updatedDesiredNodeCounts: nodes that want a pod and have none count as nodes with none.
  void CountNodes() {
    for (const api::Object& node : in_.nodes) {
      if (!placement_.On(node).should_run) continue;
      ++desired_;
      in_.pods.try_emplace(std::string(node.name()));
    }
  }

  bool Available(const api::Object& pod) const {
    return api::PodView(pod).Available(min_ready_, in_.now, in_.profile->compat);
  }

  // Deletes old pods, and leaves it to the next sync to make new ones: those that are not available
  // at once, of the others as many as may be missing.
  void PlanReplacement(std::int64_t max_unavailable) {
    std::int64_t unavailable = 0;
    std::vector<std::string> candidates;
    for (const auto& [node, pods] : in_.pods) {
      const PodsOfNode found = FindPodsOfNode(pods, in_.hash, generation_);
      if (found.excess || found.updated.empty() == found.old.empty()) {
        ++unavailable;  // for the next sync to put right
      } else if (!found.updated.empty()) {
        unavailable += !Available(found.updated);
      } else if (!Available(found.old)) {
        changes_.pods_to_delete.emplace_back(found.old.name());
        unavailable += in_.profile->daemon_counts_replaced_pods;
      } else if (unavailable < max_unavailable) {
        candidates.emplace_back(found.old.name());
      }
    }
    const std::int64_t more = std::max<std::int64_t>(0, max_unavailable - unavailable);
    AddAll(candidates, static_cast<std::size_t>(more), &changes_.pods_to_delete);
  }

  // Makes new pods beside old ones: at once where the old one is not available, of the others as
  // many as may be too many; and deletes an old pod whose new one is available.
  void PlanSurge(std::int64_t max_surge) {
    for (const auto& [node, pods] : in_.pods) {
      const PodsOfNode found = FindPodsOfNode(pods, in_.hash, generation_);
      if (found.excess) {
        ++surged_;
        continue;
      }
      const api::Object& counted = found.old.empty() ? found.updated : found.old;
      available_ += !counted.empty() && Available(counted);
      if (found.old.empty()) continue;  // nothing to do, or the next sync makes one
      if (!found.updated.empty()) {
        if (Available(found.updated))
          changes_.pods_to_delete.emplace_back(found.old.name());
        else
          ++surged_;
        continue;
      }
      if (!PlanSurgeOn(node, found.old, max_surge)) return;
    }
    DeleteFromLostNodes();
    const std::int64_t more = std::max<std::int64_t>(0, max_surge - surged_);
    AddAll(candidate_nodes_, static_cast<std::size_t>(more), &changes_.nodes_needing_pods);
  }

  // A node with an old pod alone. False: the node is not there any more.
  bool PlanSurgeOn(const std::string& name, const api::Object& old, std::int64_t max_surge) {
    const api::Object node = in_.node_in_cache(name);
    if (node.empty()) {
      changes_ = DaemonChanges();
      changes_.error =
          fmt::format("couldn't get node for nodeName \"{}\": node \"{}\" not found", name, name);
      return false;
    }
    const bool wanted = placement_.On(node).should_run;
    if (!Available(old)) {
      if (wanted)
        changes_.nodes_needing_pods.push_back(name);
      else
        changes_.pods_to_delete.emplace_back(old.name());
    } else if (!wanted) {
      on_lost_nodes_.emplace_back(old.name());
    } else if (surged_ < max_surge) {
      candidate_nodes_.push_back(name);
    }
    return true;
  }

  // The available pods of nodes that want none any more go only as new nodes have theirs.
  void DeleteFromLostNodes() {
    const std::int64_t spare = std::min(available_ - desired_, std::ssize(on_lost_nodes_));
    for (std::int64_t i = 0; i < spare; ++i) {
      const std::string& name = on_lost_nodes_[static_cast<std::size_t>(i)];
      if (!in_.pod_in_cache(name).empty()) changes_.pods_to_delete.push_back(name);
    }
  }

  RolloutInput in_;
  DaemonPlacement placement_;
  std::optional<std::int64_t> generation_;
  Duration min_ready_;
  DaemonChanges changes_;
  std::int64_t desired_ = 0;    // nodes that should have a pod
  std::int64_t surged_ = 0;     // nodes that have two
  std::int64_t available_ = 0;  // nodes whose old pod, or new one if there is no old, is available
  std::vector<std::string> candidate_nodes_, on_lost_nodes_;
};

}  // namespace

std::optional<std::int64_t> SurgeCount(const api::Object& daemon_set, std::int64_t nodes) {
  const Value& surge = RollingUpdateOf(daemon_set).Get("maxSurge");
  return surge.is_null() ? 0 : Scaled(surge, nodes);
}

std::optional<std::int64_t> UnavailableCount(const api::Object& daemon_set, std::int64_t nodes) {
  const Value& rolling = RollingUpdateOf(daemon_set);
  return rolling.is_null() ? 0 : Scaled(rolling.Get("maxUnavailable"), nodes);
}

bool AllowsSurge(const api::Object& daemon_set) {
  return SurgeCount(daemon_set, 1).value_or(0) > 0;
}

PodsOfNode FindPodsOfNode(const std::vector<api::Object>& pods, std::string_view hash,
                          std::optional<std::int64_t> generation) {
  PodsOfNode found;
  for (const api::Object& pod : pods) {
    if (pod.deleting()) continue;
    api::Object& place = IsUpdatedDaemonPod(pod, hash, generation) ? found.updated : found.old;
    if (!place.empty()) {
      PodsOfNode excess;
      excess.excess = true;
      return excess;
    }
    place = pod;
  }
  return found;
}

DaemonChanges PlanRollingUpdate(RolloutInput input) { return Rollout(std::move(input)).Plan(); }

}  // namespace ksim::controllers
