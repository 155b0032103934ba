#include "ksim/controllers/statefulset/statefulset_status.h"

#include "ksim/api/core/fields.h"
#include "ksim/api/pod.h"
#include "ksim/controllers/statefulset/pod_identity.h"

namespace ksim::controllers {

using api::Fields;
using value::Value;

bool IsCreated(const api::Object& pod) { return !api::PodView(pod).phase().empty(); }

bool IsRunningAndReady(const api::Object& pod) {
  const api::PodView view(pod);
  return view.phase() == "Running" && view.ready();
}

bool IsRunningAndAvailable(const api::Object& pod, Duration min_ready, VirtualTime now,
                           const Profile& profile) {
  return api::PodView(pod).Available(min_ready, now, profile.compat);
}

StatefulSetStatus StatefulSetStatus::From(const api::Object& set) {
  const Value& tree = set.status();
  StatefulSetStatus status;
  status.replicas = tree.Get(Fields().replicas).AsInt();
  status.ready = tree.Get(Fields().ready_replicas).AsInt();
  status.available = tree.Get(Fields().available_replicas).AsInt();
  status.current = tree.Get(Fields().current_replicas).AsInt();
  status.updated = tree.Get(Fields().updated_replicas).AsInt();
  status.collisions = tree.Get(Fields().collision_count).AsInt();
  status.observed_generation = tree.Get(Fields().observed_generation).AsInt();
  status.current_revision = std::string(tree.Get("currentRevision").AsString());
  status.update_revision = std::string(tree.Get("updateRevision").AsString());
  return status;
}

Value StatefulSetStatus::ToTree() const {
  value::ObjectBuilder tree;
  tree.Add("availableReplicas", Value::Int(available));
  tree.Add("collisionCount", Value::Int(collisions));
  tree.AddIf(current != 0, "currentReplicas", Value::Int(current));
  tree.AddIf(!current_revision.empty(), "currentRevision", Value::String(current_revision));
  tree.AddIf(observed_generation != 0, "observedGeneration", Value::Int(observed_generation));
  tree.AddIf(ready != 0, "readyReplicas", Value::Int(ready));
  tree.Add("replicas", Value::Int(replicas));
  tree.AddIf(!update_revision.empty(), "updateRevision", Value::String(update_revision));
  tree.AddIf(updated != 0, "updatedReplicas", Value::Int(updated));
  return tree.Build();
}

void StatefulSetStatus::Count(const std::vector<api::Object>& pods, Duration min_ready,
                              VirtualTime now, const Profile& profile) {
  for (const api::Object& pod : pods) {
    const bool created = IsCreated(pod);
    if (created) ++replicas;
    if (IsRunningAndReady(pod)) {
      ++ready;
      if (IsRunningAndAvailable(pod, min_ready, now, profile)) ++available;
    }
    if (!created || pod.deleting()) continue;
    if (RevisionOf(pod) == current_revision) ++current;
    if (RevisionOf(pod) == update_revision) ++updated;
  }
}

void StatefulSetStatus::CompleteRollingUpdate(const api::Object& set, const Profile& profile) {
  const Value& type = set.spec().Get(Fields().update_strategy).Get(Fields().type);
  if (type.AsString() != "RollingUpdate" || updated != replicas || ready != replicas) return;
  // Up to 1.25 a set with fewer pods than it should have counted as complete.
  if (profile.set_completes_at_spec && replicas != SetReplicas(set)) return;
  current = updated;
  current_revision = update_revision;
}

bool StatefulSetStatus::DiffersFrom(const api::Object& set) const {
  const StatefulSetStatus old = From(set);
  return observed_generation > old.observed_generation || replicas != old.replicas ||
         current != old.current || ready != old.ready || updated != old.updated ||
         current_revision != old.current_revision || available != old.available ||
         update_revision != old.update_revision;
}

}  // namespace ksim::controllers
