// statefulset.rollout: a StatefulSet's rolling update takes the highest old pod, one at a time,
// none below the partition, and with OnDelete none at all.
//
// Source: pkg/controller/statefulset/stateful_set_control.go updateStatefulSet, processReplica.
// MaxUnavailableStatefulSet is off in all versions, so that one pod at a time is the rule.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ksim/api/kinds.h"
#include "ksim/api/pod.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"
#include "ksim/controllers/statefulset/pod_identity.h"
#include "ksim/controllers/statefulset/statefulset_status.h"

namespace ksim::check {
namespace {

using value::Value;

const OracleInfo& SetRolloutInfo() {
  static const OracleInfo info{
      "statefulset.rollout",
      Guarantee::kSafety,
      "A StatefulSet's rolling update deletes a pod only if those above it are of another revision "
      "and ready, of an OrderedReady set those below it as well; one in a sync, none below the "
      "partition, and with OnDelete none.",
      {sim::EventKind::kCommit},
      {"pods, and a StatefulSet, of which the controller was not told when the sync began: it is "
       "enough that one of the versions that it can have known allows the deletion",
       "a pod that has failed or succeeded: it goes whatever the others do",
       "a pod beyond the replicas: that is scaling",
       "pods that are ready and not yet available, which versions treat differently",
       "an old pod that is not ready itself, where the set is Parallel",
       "a pod of a revision that the set has left, or is about to, and that does not become ready, "
       "with sts.brokenRollback: replace",
       "users, evictions and others who delete: only the controller's own deletions are judged"},
      "the StatefulSet controller deleted no pod that its set still wants"};
  return info;
}

// A deletion by the controller, as far as one version of the set and one of the pod tell of it.
struct Reason {
  bool wanted = false;  // the pod is one of the set's replicas, and would have stayed
  std::string wrong;    // "" = the deletion is right
};

class StatefulSetRollout : public Oracle {
 public:
  StatefulSetRollout() : Oracle(SetRolloutInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.resource != "pods" || o.before->is_null()) return;
    const SyncViews::Sync* sync = facts.sync_views().Of(o);
    if (sync == nullptr || sync->subject->kind != "StatefulSet") return;
    const api::Object before = api::Object::FromTree(*o.before);
    const bool goes = o.after->is_null() || api::Object::FromTree(*o.after).deleting();
    if (before.deleting() || !goes) return;

    bool wanted = false;
    std::string wrong;
    for (const Value* set_tree : SyncViews::VersionsOf(facts, *sync, sync->owner, o.rv)) {
      if (set_tree->is_null()) continue;
      const api::Object set = api::Object::FromTree(*set_tree);
      if (set.uid() != sync->owner_uid) continue;
      for (const Value* pod_tree : SyncViews::VersionsOf(facts, *sync, o.object, o.rv)) {
        if (pod_tree->is_null()) continue;
        const api::Object pod = api::Object::FromTree(*pod_tree);
        if (pod.deleting()) continue;
        const Reason reason = ReasonOf(facts, o, *sync, set, pod);
        if (!reason.wanted) return;
        wanted = true;
        if (reason.wrong.empty()) return OnRolledOut(o, *sync);
        wrong = reason.wrong;
      }
    }
    if (!wanted) return;
    Judged();
    Violate(o.seq, std::string(o.by), fmt::format("{} deletes {}, {}", o.by, ObjectOf(o), wrong),
            {ObjectOf(o)});
  }

 private:
  // One that is right. There is one in a sync.
  void OnRolledOut(const Observation& o, const SyncViews::Sync& sync) {
    Judged();
    const bool again = sync.begin == sync_;
    sync_ = sync.begin;
    if (!again) return;
    Violate(o.seq, std::string(o.by),
            fmt::format("{} deletes {}, the second pod in one sync of its StatefulSet", o.by,
                        ObjectOf(o)),
            {ObjectOf(o)});
  }

  static Reason ReasonOf(const Facts& facts, const Observation& o, const SyncViews::Sync& sync,
                         const api::Object& set, const api::Object& pod) {
    Reason reason;
    const controllers::Profile& profile = controllers::ProfileOf(facts.profile().compat);
    const std::int64_t start = controllers::StartOrdinal(set, profile);
    const std::int64_t replicas = controllers::SetReplicas(set);
    const std::int64_t index = controllers::OrdinalOf(pod) - start;
    const bool ordered = set.spec().Get("podManagementPolicy").AsString() != "Parallel";
    if (index < 0 || index >= replicas || api::PodView(pod).terminal() ||
        (ordered && IsOfBrokenRevision(set, pod, index)))
      return reason;
    reason.wanted = true;
    const std::int64_t partition = controllers::SetPartition(set);
    if (set.spec().Get("updateStrategy").Get("type").AsString() == "OnDelete") {
      reason.wrong = "though nobody but the user is to delete pods of its StatefulSet";
      return reason;
    }
    if (index < partition) {
      reason.wrong = fmt::format("which is below the partition {}", start + partition);
      return reason;
    }
    for (std::int64_t i = replicas - 1; i >= (ordered ? 0 : index); --i) {
      const std::string name = controllers::SetPodName(set, start + i);
      const bool above = i > index;
      if (i == index || MayBeReady(facts, o, sync, name, above ? &pod : nullptr)) continue;
      reason.wrong = above ? fmt::format("though {} is not ready in another revision", name)
                           : fmt::format("though {} is not ready", name);
      return reason;
    }
    return reason;
  }

  // sts.brokenRollback: replace. The status does not name the revision of a template that the
  // controller is about to take up.
  static bool IsOfBrokenRevision(const api::Object& set, const api::Object& pod,
                                 std::int64_t index) {
    if (controllers::IsRunningAndReady(pod)) return false;
    const Value& status = set.tree().Get("status");
    if (status.Get("observedGeneration").AsInt() < set.generation()) return true;
    const bool kept = index < controllers::SetPartition(set);
    return controllers::RevisionOf(pod) !=
           status.Get(kept ? "currentRevision" : "updateRevision").AsString();
  }

  // Whether the sync can have known that pod to be ready, and of another revision than `other`.
  static bool MayBeReady(const Facts& facts, const Observation& o, const SyncViews::Sync& sync,
                         const std::string& name, const api::Object* other) {
    const std::uint64_t object = api::ObjectHash("pods", o.ns, name);
    const SyncViews::Versions versions = SyncViews::VersionsOf(facts, sync, object, o.rv);
    if (versions.empty()) return true;  // they are forgotten
    return std::any_of(versions.begin(), versions.end(), [&](const Value* version) {
      if (version->is_null()) return false;
      const api::Object pod = api::Object::FromTree(*version);
      return !pod.deleting() && controllers::IsRunningAndReady(pod) &&
             (other == nullptr || controllers::RevisionOf(pod) != controllers::RevisionOf(*other));
    });
  }

  std::uint64_t sync_ = 0;  // the sync of the last deletion, by its begin
};

}  // namespace

OracleEntry StatefulSetRolloutOracle() {
  return {&SetRolloutInfo(), [] { return std::unique_ptr<Oracle>(new StatefulSetRollout); }, ""};
}

}  // namespace ksim::check
