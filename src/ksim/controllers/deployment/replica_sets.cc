#include "ksim/controllers/deployment/replica_sets.h"

#include <algorithm>
#include <iterator>

#include "ksim/api/schema/template_text.h"
#include "ksim/controllers/deployment/deployment_spec.h"
#include "ksim/controllers/deployment/revisions.h"
#include "ksim/value/text.h"

namespace ksim::controllers::deployment {

using value::Path;
using value::Value;

namespace {

std::int64_t SumOfStatus(const ReplicaSetList& sets, const char* field) {
  std::int64_t sum = 0;
  for (const api::Object& set : sets) sum += set.status().Get(field).AsInt();
  return sum;
}

// The template without the hash in its labels.
Value WithoutHash(const Value& pod_template) {
  static const Path kLabels{"metadata", "labels"};
  static const Path kHash{"metadata", "labels", kTemplateHashLabel};
  if (pod_template.Find(kHash) == nullptr) return pod_template;
  Value without = pod_template.Erase(kHash);
  return without.Get(kLabels).empty() ? without.Erase(kLabels) : without;
}

}  // namespace

ReplicaSetList NewAndOld::All() const {
  ReplicaSetList all = old;
  all.push_back(latest);
  return all;
}

bool IsOlder(const api::Object& a, const api::Object& b) {
  const std::optional<VirtualTime> made_a = a.creation_time(), made_b = b.creation_time();
  return made_a != made_b ? made_a < made_b : a.name() < b.name();
}

void SortByAge(ReplicaSetList* sets) { std::sort(sets->begin(), sets->end(), IsOlder); }

api::Object FindNewReplicaSet(const api::Object& deployment, const ReplicaSetList& by_age,
                              const Profile& profile) {
  const Value wanted = WithoutHash(deployment.spec().Get("template"));
  for (const api::Object& set : by_age) {
    if (api::SameTemplates(wanted, WithoutHash(set.spec().Get("template")), profile.compat))
      return set;
  }
  return {};
}

ReplicaSetList FindOldReplicaSets(const ReplicaSetList& sets, const api::Object& latest) {
  ReplicaSetList old;
  std::copy_if(sets.begin(), sets.end(), std::back_inserter(old),
               [&](const api::Object& set) { return latest.empty() || set.uid() != latest.uid(); });
  return old;
}

ReplicaSetList ActiveOf(const ReplicaSetList& sets) {
  ReplicaSetList active;
  std::copy_if(sets.begin(), sets.end(), std::back_inserter(active),
               [](const api::Object& set) { return SizeOf(set) > 0; });
  return active;
}

api::Object FindActiveOrLatest(const NewAndOld& sets) {
  const ReplicaSetList active = ActiveOf(sets.All());
  if (active.size() > 1) return {};
  if (active.size() == 1) return active.front();
  if (!sets.latest.empty() || sets.old.empty()) return sets.latest;
  return *std::max_element(sets.old.begin(), sets.old.end(), IsOlder);
}

bool IsSaturated(const api::Object& deployment, const api::Object& latest) {
  if (latest.empty()) return false;
  const auto desired = value::ParseGoInt(latest.Annotation(kDesiredReplicasAnnotation));
  const std::int64_t wanted = DeploymentReplicas(deployment);
  return desired && SizeOf(latest) == wanted && *desired == wanted && AvailableOf(latest) == wanted;
}

std::int64_t SumOfSizes(const ReplicaSetList& sets) {
  std::int64_t sum = 0;
  for (const api::Object& set : sets) sum += SizeOf(set);
  return sum;
}

std::int64_t SumOfReplicas(const ReplicaSetList& sets) { return SumOfStatus(sets, "replicas"); }
std::int64_t SumOfReady(const ReplicaSetList& sets) { return SumOfStatus(sets, "readyReplicas"); }
std::int64_t SumOfAvailable(const ReplicaSetList& sets) {
  return SumOfStatus(sets, "availableReplicas");
}

std::optional<std::int64_t> SumOfTerminating(const ReplicaSetList& sets) {
  std::int64_t sum = 0;
  for (const api::Object& set : sets) {
    const Value& terminating = set.status().Get("terminatingReplicas");
    const bool synced = set.status().Get("observedGeneration").AsInt() != 0;
    if (terminating.is_null() && synced) return std::nullopt;
    sum += terminating.AsInt();
  }
  return sum;
}

}  // namespace ksim::controllers::deployment
