// daemonset.rollout: a DaemonSet's rolling update takes no ready pod while maxUnavailable nodes
// have none, makes no new pod beside an old one while maxSurge nodes have two, and with OnDelete
// does neither.
//
// Source: pkg/controller/daemon/update.go rollingUpdate, daemon_controller.go podsShouldBeOnNode.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/pod.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/daemonset/daemon_pods.h"
#include "ksim/controllers/daemonset/daemon_rollout.h"

namespace ksim::check {
namespace {

using value::Value;

const OracleInfo& DaemonRolloutInfo() {
  static const OracleInfo info{
      "daemonset.rollout",
      Guarantee::kSafety,
      "A DaemonSet's rolling update deletes a ready pod only while fewer than maxUnavailable nodes "
      "lack one, and with maxSurge only where its successor is ready; it makes pods beside old "
      "ready ones on no more than maxSurge nodes; with OnDelete it does neither.",
      {sim::EventKind::kCommit},
      {"pods, nodes and a DaemonSet of which the controller was not told when the sync began: it "
       "is enough that what it can have known allows the write",
       "pods that are not ready, or have ended: these go, and get successors, at once",
       "a node that wants no pod any more, or on which there are two of a kind",
       "in 1.25, old pods that go because they are not ready: they do not count",
       "minReadySeconds: whether a pod is available tells the controller's clock, nobody else",
       "users, evictions and others who delete: only the controller's own writes are judged"},
      "the DaemonSet controller touched no ready pod of a node that wants it"};
  return info;
}

using Versions = std::vector<api::Object>;

Versions Objects(const SyncViews::Versions& versions) {
  Versions out;
  for (const Value* version : versions)
    out.push_back(version->is_null() ? api::Object() : api::Object::FromTree(*version));
  return out;
}

bool IsThere(const api::Object& pod) { return !pod.empty() && !pod.deleting(); }
bool IsReady(const api::Object& pod) {
  return IsThere(pod) && !api::PodView(pod).terminal() && api::PodView(pod).ready();
}
bool IsGoing(const api::Object& pod) { return !IsThere(pod) || api::PodView(pod).terminal(); }
std::string_view HashOf(const api::Object& pod) { return pod.Label(controllers::kDaemonHashLabel); }

template <typename Is>
bool Always(const Versions& versions, Is is) {
  return !versions.empty() && std::all_of(versions.begin(), versions.end(), is);
}
template <typename Is>
bool Ever(const Versions& versions, Is is) {
  return versions.empty() || std::any_of(versions.begin(), versions.end(), is);
}

class DaemonSetRollout : public Oracle {
 public:
  DaemonSetRollout() : Oracle(DaemonRolloutInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.resource == "nodes") nodes_.emplace(std::string(o.name), o.object);
    if (o.resource != "pods") return;
    const SyncViews::Sync* sync = facts.sync_views().Of(o);
    if (sync == nullptr || sync->subject->kind != "DaemonSet") return;
    const api::Object before =
        o.before->is_null() ? api::Object() : api::Object::FromTree(*o.before);
    const api::Object after = o.after->is_null() ? api::Object() : api::Object::FromTree(*o.after);
    const bool made = before.empty(), taken = IsThere(before) && !IsThere(after);
    if (!made && !taken) return;
    Plan& plan = plans_[sync->owner];
    if (sync->begin != plan.sync) plan = PlanOf(facts, o, *sync);
    const std::string node = controllers::TargetNodeOf(made ? after : before);
    if (!plan.usable || !plan.wanted.contains(node)) return;
    if (made)
      OnMade(o, after, node, &plan);
    else
      OnTaken(o, node, &plan);
  }

 private:
  using PodsOfNode = std::map<std::uint64_t, Versions>;  // by object
  // The knowledge that a sync can have had when it began to write.
  struct Plan {
    std::uint64_t sync = 0;  // its begin
    bool usable = false;     // all that it can have known is there, and is of one strategy
    bool on_delete = false, surges = false;
    std::int64_t unavailable = 0, surge = 0;    // the most that it may allow
    std::set<std::string, std::less<>> wanted;  // nodes that surely want a pod
    std::map<std::string, PodsOfNode, std::less<>> pods;
    std::int64_t taken = 0, made = 0;  // so far, beside what it found
  };

  Plan PlanOf(const Facts& facts, const Observation& o, const SyncViews::Sync& sync) const {
    Plan plan;
    plan.sync = sync.begin;
    Versions sets;
    for (api::Object& set : Objects(SyncViews::VersionsOf(facts, sync, sync.owner, o.rv)))
      if (!set.empty() && set.uid() == sync.owner_uid) sets.push_back(std::move(set));
    if (sets.empty()) return plan;

    // 1. The nodes.
    std::vector<controllers::DaemonPlacement> placements;
    for (const api::Object& set : sets) placements.emplace_back(set);
    std::int64_t most = 0;
    for (const auto& [name, object] : nodes_) {
      const Versions known = Objects(SyncViews::VersionsOf(facts, sync, object, o.rv));
      bool always = !known.empty(), ever = known.empty();
      for (const api::Object& node : known) {
        for (const controllers::DaemonPlacement& placement : placements) {
          const bool runs = !node.empty() && placement.On(node).should_run;
          always = always && runs;
          ever = ever || runs;
        }
      }
      most += ever;
      if (always) plan.wanted.insert(name);
    }

    // 2. What the strategy allows.
    plan.on_delete = IsOnDelete(sets[0]);
    plan.surges = controllers::AllowsSurge(sets[0]);
    for (const api::Object& set : sets) {
      const auto unavailable = controllers::UnavailableCount(set, most);
      const auto surge = controllers::SurgeCount(set, most);
      if (!unavailable || !surge || set.spec().Get("minReadySeconds").AsInt() > 0 ||
          IsOnDelete(set) != plan.on_delete || controllers::AllowsSurge(set) != plan.surges)
        return plan;
      plan.surge = std::max(plan.surge, *surge);
      plan.unavailable =
          std::max(plan.unavailable, *unavailable == 0 && *surge == 0 ? 1 : *unavailable);
    }

    // 3. The pods.
    for (const auto& [child, state] : facts.sync_views().ChildrenOf(sync.owner_uid, "pods")) {
      Versions known = Objects(SyncViews::VersionsOf(facts, sync, child, o.rv));
      if (known.empty()) return plan;
      std::string node;
      for (api::Object& pod : known) {
        if (pod.empty()) continue;
        node = controllers::TargetNodeOf(pod);
        const auto owner = pod.controller();
        if (!owner || owner->uid != sync.owner_uid) pod = api::Object();
      }
      plan.pods[node][child] = std::move(known);
    }
    const controllers::Profile& profile = controllers::ProfileOf(facts.profile().compat);
    for (const std::string& node : plan.wanted)
      plan.taken += LacksPod(plan.pods[node], profile.daemon_counts_replaced_pods);
    plan.usable = true;
    return plan;
  }

  static bool IsOnDelete(const api::Object& set) {
    return set.spec().Get("updateStrategy").Get("type").AsString() == "OnDelete";
  }

  // Whether a node surely counts as one without an available pod.
  static bool LacksPod(const PodsOfNode& pods, bool counts_replaced) {
    return std::none_of(pods.begin(), pods.end(), [counts_replaced](const auto& pod) {
      return Ever(pod.second, [counts_replaced](const api::Object& version) {
        return counts_replaced ? IsReady(version) : IsThere(version);
      });
    });
  }

  void OnTaken(const Observation& o, const std::string& node, Plan* plan) {
    const PodsOfNode& pods = plan->pods[node];
    const auto it = pods.find(o.object);
    if (it == pods.end() || !Always(it->second, &IsReady)) return;
    std::vector<const Versions*> rivals;  // others of the node that may be there
    for (const auto& [object, versions] : pods)
      if (object != o.object && Ever(versions, &IsThere)) rivals.push_back(&versions);
    if (plan->surges && !plan->on_delete) {
      const std::string_view hash = HashOf(it->second[0]);
      const bool excess =
          rivals.size() > 1 || (rivals.size() == 1 && Ever(*rivals[0], [hash](const auto& pod) {
                                  return IsThere(pod) && HashOf(pod) == hash;
                                }));
      if (excess) return;
      Judged();
      if (rivals.size() == 1 && Ever(*rivals[0], &IsReady)) return;
      Complain(o, "deletes", fmt::format("though {} has no other ready pod yet", node));
      return;
    }
    if (!rivals.empty()) return;
    Judged();
    if (plan->on_delete) {
      Complain(o, "deletes", "though nobody but the user is to delete pods of its DaemonSet");
      return;
    }
    if (++plan->taken > plan->unavailable)
      Complain(
          o, "deletes",
          fmt::format("which leaves {} nodes without a ready pod to a DaemonSet that allows {}",
                      plan->taken, plan->unavailable));
  }

  void OnMade(const Observation& o, const api::Object& made, const std::string& node, Plan* plan) {
    if (!plan->surges && !plan->on_delete) return;  // a second pod is oneOnNode's
    const std::string_view hash = HashOf(made);
    if (!HasOld(plan->pods[node], hash)) return;
    Judged();
    std::int64_t surged = ++plan->made;
    for (const std::string& other : plan->wanted)
      surged +=
          other != node && HasOld(plan->pods[other], hash) && HasUnready(plan->pods[other], hash);
    if (surged > plan->surge)
      Complain(o, "makes",
               fmt::format("which gives {} nodes a second pod of a DaemonSet that allows {}",
                           surged, plan->surge));
  }

  // An old pod that is surely there, and ready.
  static bool HasOld(const PodsOfNode& pods, std::string_view hash) {
    return std::any_of(pods.begin(), pods.end(), [hash](const auto& pod) {
      return Always(pod.second, [hash](const api::Object& version) {
        return IsReady(version) && HashOf(version) != hash;
      });
    });
  }
  // A new pod that is surely there, and not ready.
  static bool HasUnready(const PodsOfNode& pods, std::string_view hash) {
    return std::any_of(pods.begin(), pods.end(), [hash](const auto& pod) {
      return Always(pod.second, [hash](const api::Object& version) {
        return !IsGoing(version) && !IsReady(version) && HashOf(version) == hash;
      });
    });
  }

  void Complain(const Observation& o, std::string_view does, const std::string& why) {
    Violate(o.seq, std::string(o.by), fmt::format("{} {} {}, {}", o.by, does, ObjectOf(o), why),
            {ObjectOf(o)});
  }

  std::map<std::string, std::uint64_t> nodes_;  // all that there ever were
  std::map<std::uint64_t, Plan> plans_;         // of each DaemonSet's last sync that wrote
};

}  // namespace

OracleEntry DaemonSetRolloutOracle() {
  return {&DaemonRolloutInfo(), [] { return std::unique_ptr<Oracle>(new DaemonSetRollout); }, ""};
}

}  // namespace ksim::check
