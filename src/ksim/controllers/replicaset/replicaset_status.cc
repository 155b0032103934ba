#include "ksim/controllers/replicaset/replicaset_status.h"

#include "ksim/api/conditions.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/pod.h"
#include "ksim/client/update_retry.h"
#include "ksim/value/timestamp.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr const char* kReplicaFailure = "ReplicaFailure";

// Every label of the template is on the pod.
bool FullyLabeled(const Value& template_labels, const api::Object& pod) {
  for (const Value::Member& label : template_labels.members()) {
    const Value* on_pod = pod.labels().Find(label.name);
    if (on_pod == nullptr || *on_pod != label.value) return false;
  }
  return true;
}

// Added only when absent: a later, different error does not refresh it.
Value WithFailure(const Value& conditions, const StatusInput& input, std::int64_t replicas) {
  const auto active = static_cast<std::int64_t>(input.active.size());
  const char* reason = active < replicas ? "FailedCreate" : active > replicas ? "FailedDelete" : "";
  return conditions.Append(value::Obj({{"type", Value::Of(kReplicaFailure)},
                                       {"status", Value::Of("True")},
                                       {"lastTransitionTime", value::TimestampValue(input.now)},
                                       {"reason", Value::Of(reason)},
                                       {"message", Value::String(input.manage_error->message)}}));
}

}  // namespace

ReplicaSetStatus ReplicaSetStatus::From(const api::Object& replica_set) {
  const api::FieldNames& f = api::Fields();
  const Value& tree = replica_set.status();
  ReplicaSetStatus status;
  status.replicas = tree.Get(f.replicas).AsInt();
  status.fully_labeled = tree.Get(f.fully_labeled_replicas).AsInt();
  status.ready = tree.Get(f.ready_replicas).AsInt();
  status.available = tree.Get(f.available_replicas).AsInt();
  const Value& terminating = tree.Get(f.terminating_replicas);
  if (terminating.is_int()) status.terminating = terminating.AsInt();
  status.observed_generation = tree.Get(f.observed_generation).AsInt();
  status.conditions = tree.Get(f.conditions);
  return status;
}

Value ReplicaSetStatus::ToTree() const {
  value::ObjectBuilder tree;
  tree.Add("replicas", Value::Int(replicas));
  tree.AddIf(fully_labeled != 0, "fullyLabeledReplicas", Value::Int(fully_labeled));
  tree.AddIf(ready != 0, "readyReplicas", Value::Int(ready));
  tree.AddIf(available != 0, "availableReplicas", Value::Int(available));
  if (terminating) tree.Add("terminatingReplicas", Value::Int(*terminating));
  tree.AddIf(observed_generation != 0, "observedGeneration", Value::Int(observed_generation));
  tree.AddIf(!conditions.empty(), "conditions", conditions);
  return tree.Build();
}

bool ReplicaSetStatus::SameCounts(const ReplicaSetStatus& o) const {
  const bool same_conditions =
      (conditions.empty() && o.conditions.empty()) || conditions == o.conditions;
  return replicas == o.replicas && fully_labeled == o.fully_labeled && ready == o.ready &&
         available == o.available && terminating == o.terminating && same_conditions;
}

ReplicaSetStatus CalculateStatus(const api::Object& replica_set, const StatusInput& input) {
  ReplicaSetStatus status = ReplicaSetStatus::From(replica_set);
  const Value& spec = replica_set.spec();
  static const value::Path kTemplateLabels{"template", "metadata", "labels"};
  const Duration min_ready = Seconds(spec.Get("minReadySeconds").AsInt());

  status.replicas = static_cast<std::int64_t>(input.active.size());
  status.fully_labeled = status.ready = status.available = 0;
  for (const api::Object& pod : input.active) {
    const api::PodView view(pod);
    if (FullyLabeled(spec.Get(kTemplateLabels), pod)) ++status.fully_labeled;
    if (!view.ready()) continue;
    ++status.ready;
    if (view.Available(min_ready, input.now, input.profile->compat)) ++status.available;
  }
  status.terminating.reset();
  if (input.profile->terminating_replicas && input.counts_terminating) {
    status.terminating = static_cast<std::int64_t>(input.terminating.size());
  }

  const bool has_failure = api::FindCondition(status.conditions, kReplicaFailure) != nullptr;
  if (input.manage_error && !has_failure) {
    status.conditions = WithFailure(status.conditions, input, spec.Get("replicas").AsInt());
  } else if (!input.manage_error && has_failure) {
    status.conditions = api::RemoveCondition(status.conditions, kReplicaFailure);
  }
  return status;
}

sim::Task<client::Client::ObjectResult> UpdateReplicaSetStatus(client::Client& client,
                                                               const api::ResourceInfo* resource,
                                                               api::Object replica_set,
                                                               ReplicaSetStatus status) {
  const ReplicaSetStatus current = ReplicaSetStatus::From(replica_set);
  if (current.SameCounts(status) && current.observed_generation == replica_set.generation()) {
    co_return replica_set;
  }
  // The generation that was acted on, which is not necessarily the newest.
  status.observed_generation = replica_set.generation();
  const value::Value tree = status.ToTree();
  co_return co_await client::UpdateStatusWithOneRetry(client, resource, replica_set, tree);
}

}  // namespace ksim::controllers
