#include "ksim/controllers/deployment/revisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "ksim/controllers/deployment/deployment_spec.h"
#include "ksim/value/text.h"

namespace ksim::controllers::deployment {

using value::Atom;
using value::Path;
using value::Value;

namespace {

constexpr std::string_view kLastAppliedAnnotation =
    "kubectl.kubernetes.io/last-applied-configuration";

// annotationsToSkip.
bool IsNotCopied(std::string_view annotation) {
  return annotation == kLastAppliedAnnotation || annotation == kRevisionAnnotation ||
         annotation == kRevisionHistoryAnnotation || annotation == kDesiredReplicasAnnotation ||
         annotation == kMaxReplicasAnnotation || annotation == kRollbackAnnotation;
}

api::Object WithTree(const api::Object& object, Value tree) {
  return api::Object::FromTree(std::move(tree), object.resource_version());
}

// The history with one revision more: old ones fall off its left end.
std::string LongerHistory(std::string_view history, std::string_view revision,
                          std::size_t max_chars) {
  if (history.empty() || history.front() == ',') return std::string(revision);
  std::size_t length = history.size() + revision.size() + 1;
  std::string_view kept = history;
  while (length > max_chars && !kept.empty()) {
    const std::size_t end = std::min(kept.find(','), kept.size());
    length -= end + 1;
    kept.remove_prefix(std::min(end + 1, kept.size()));
  }
  if (length > max_chars) return std::string(history);
  return kept.empty() ? std::string(revision) : fmt::format("{},{}", kept, revision);
}

std::int64_t MaxReplicas(const api::Object& deployment) {
  return DeploymentReplicas(deployment) + MaxSurge(deployment);
}

}  // namespace

std::optional<std::int64_t> RevisionOf(const api::Object& set) {
  const Value* const annotation = set.annotations().Find(Atom(kRevisionAnnotation));
  if (annotation == nullptr) return 0;
  return value::ParseGoInt(annotation->AsString());
}

std::int64_t MaxRevision(const ReplicaSetList& sets) {
  std::int64_t most = 0;
  for (const api::Object& set : sets) most = std::max(most, RevisionOf(set).value_or(0));
  return most;
}

std::int64_t LastRevision(const ReplicaSetList& sets) {
  std::int64_t most = 0, second = 0;
  for (const api::Object& set : sets) {
    const std::optional<std::int64_t> revision = RevisionOf(set);
    if (!revision) continue;
    if (*revision >= most) {
      second = most;
      most = *revision;
    } else {
      second = std::max(second, *revision);
    }
  }
  return second;
}

void SortByRevision(ReplicaSetList* sets) {
  std::sort(sets->begin(), sets->end(), [](const api::Object& a, const api::Object& b) {
    const std::optional<std::int64_t> of_a = RevisionOf(a), of_b = RevisionOf(b);
    if (!of_a || !of_b || *of_a == *of_b) return IsOlder(a, b);
    return *of_a < *of_b;
  });
}

api::Object WithAnnotation(const api::Object& object, std::string_view name,
                           std::string_view text) {
  const Path path{"metadata", "annotations", name};
  const Value* const now = object.tree().Find(path);
  if (now != nullptr && now->AsString() == text) return object;
  return WithTree(object, object.tree().Set(path, Value::String(text)));
}

api::Object WithNewSetAnnotations(const api::Object& deployment, const api::Object& set,
                                  std::int64_t revision, bool fresh, std::size_t max_history) {
  api::Object changed = set;
  for (const Value::Member& annotation : deployment.annotations().members()) {
    if (IsNotCopied(annotation.name.text())) continue;
    changed = WithAnnotation(changed, annotation.name.text(), annotation.value.AsString());
  }
  // Its own revision is the highest, or becomes so. One that is no number is left alone.
  const Value* const had = set.annotations().Find(Atom(kRevisionAnnotation));
  const std::string before(had != nullptr ? had->AsString() : "");
  const std::optional<std::int64_t> number =
      before.empty() ? std::optional<std::int64_t>(0) : value::ParseGoInt(before);
  // Upstream then says that nothing has changed, and what it copied is not written.
  if (!number) return set;
  if (*number < revision) {
    changed = WithAnnotation(changed, kRevisionAnnotation, std::to_string(revision));
    if (had != nullptr) {
      const std::string history =
          LongerHistory(changed.Annotation(kRevisionHistoryAnnotation), before, max_history);
      changed = WithAnnotation(changed, kRevisionHistoryAnnotation, history);
    }
  }
  return fresh ? WithReplicasAnnotations(deployment, changed) : changed;
}

bool NeedsReplicasAnnotations(const api::Object& deployment, const api::Object& set) {
  return !WithReplicasAnnotations(deployment, set).SameVersion(set);
}

api::Object WithReplicasAnnotations(const api::Object& deployment, const api::Object& set) {
  const api::Object with_desired = WithAnnotation(set, kDesiredReplicasAnnotation,
                                                  std::to_string(DeploymentReplicas(deployment)));
  return WithAnnotation(with_desired, kMaxReplicasAnnotation,
                        std::to_string(MaxReplicas(deployment)));
}

std::optional<std::int64_t> ReplicasAnnotation(const api::Object& set, std::string_view name,
                                               const Profile& profile) {
  const std::string_view text = set.Annotation(name);
  const std::optional<std::int64_t> number = value::ParseGoInt(text);
  if (!number) return std::nullopt;
  if (!profile.checks_replicas_annotations) return static_cast<std::int32_t>(*number);
  const bool plain = text.front() >= '0' && text.front() <= '9';
  if (!plain || *number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> RollbackRevision(const api::Object& deployment) {
  return value::ParseGoInt(deployment.Annotation(kRollbackAnnotation));
}

api::Object WithAnnotationsOf(const api::Object& deployment, const api::Object& set) {
  value::ObjectBuilder annotations;
  for (const Value::Member& own : deployment.annotations().members())
    if (IsNotCopied(own.name.text())) annotations.Add(own.name, own.value);
  for (const Value::Member& its : set.annotations().members())
    if (!IsNotCopied(its.name.text())) annotations.Add(its.name, its.value);
  static const Path kAnnotations{"metadata", "annotations"};
  return WithTree(deployment, deployment.tree().Set(kAnnotations, annotations.Build()));
}

}  // namespace ksim::controllers::deployment
