#include "ksim/apiserver/registry/deletion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ksim/value/timestamp.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

const Path kDeletionTimestamp{"metadata", "deletionTimestamp"};
const Path kGracePeriod{"metadata", "deletionGracePeriodSeconds"};
const Path kGeneration{"metadata", "generation"};
const Path kFinalizers{"metadata", "finalizers"};

enum class Policy : std::uint8_t { kBackground, kOrphan, kUnsupported };

Policy DefaultPolicy(const api::ResourceInfo& r) {
  if (r.resource == "events" && !r.custom) return Policy::kUnsupported;
  if (r.group == "batch" && r.resource == "jobs") return Policy::kOrphan;
  if (r.group.empty() && r.resource == "replicationcontrollers") return Policy::kOrphan;
  return Policy::kBackground;
}

bool Has(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// The finalizer for the propagation policy: "orphan", "foregroundDeletion" or "".
std::string_view PropagationFinalizer(const api::ResourceInfo& r,
                                      const std::vector<std::string>& present,
                                      const api::DeleteOptions& options) {
  if (options.orphan_dependents) return *options.orphan_dependents ? kOrphan : "";
  if (options.propagation_policy == "Orphan") return kOrphan;
  if (options.propagation_policy == "Foreground") return kForeground;
  if (options.propagation_policy == "Background") return "";
  for (const std::string& finalizer : present) {
    if (finalizer == kOrphan) return kOrphan;
    if (finalizer == kForeground) return kForeground;
  }
  return DefaultPolicy(r) == Policy::kOrphan ? kOrphan : "";
}

api::Status PreconditionConflict(const api::ResourceInfo& r, const api::Object& object,
                                 std::string_view field, std::string_view wanted,
                                 std::string_view found, std::string_view hint) {
  return api::Conflict(api::GroupResource(r.group, r.kind), object.name(),
                       fmt::format("the {0} in the precondition ({1}) does not match the {0} in "
                                   "record ({2}). The object might have been {3}",
                                   field, wanted, found, hint));
}

api::Object Marked(const api::Object& object, VirtualTime when, std::int64_t period, bool first) {
  Value tree = object.tree()
                   .Set(kDeletionTimestamp, value::TimestampValue(when))
                   .Set(kGracePeriod, Value::Of(period));
  if (first && object.generation() > 0)
    tree = tree.Set(kGeneration, Value::Of(object.generation() + 1));
  return api::Object::FromTree(std::move(tree), object.resource_version());
}

// The grace period of a pod: that of the options, else of the spec; 0 for a pod that runs nowhere.
std::int64_t PodGracePeriod(const api::Object& pod, const api::DeleteOptions& options) {
  static const Path kSpecGrace{"spec", "terminationGracePeriodSeconds"};
  std::int64_t period = 0;
  if (options.grace_period_seconds) {
    period = *options.grace_period_seconds;
  } else if (pod.Get(kSpecGrace).is_int()) {
    period = pod.Get(kSpecGrace).AsInt();
  }
  const std::string_view phase = pod.status().Get("phase").AsString();
  if (pod.node_name().empty() || phase == "Succeeded" || phase == "Failed") period = 0;
  return period < 0 ? 1 : period;
}

// Negative periods count as 1 s. One can be stored where something else than an API server wrote.
api::Object WithoutNegativeGrace(const api::Object& object) {
  if (object.Get(kGracePeriod).AsInt() >= 0) return object;
  return api::Object::FromTree(object.tree().Set(kGracePeriod, Value::Of(1)),
                               object.resource_version());
}

// A deletion that is under way: only a shorter period changes anything.
BeforeDeleteResult ShortenGrace(const api::Object& object, api::DeleteOptions& options,
                                VirtualTime now, const Profile& profile) {
  BeforeDeleteResult result;
  result.object = object;
  const std::int64_t pending = object.Get(kGracePeriod).AsInt();
  if (pending == 0) return result;
  result.grace = Grace::kPending;
  if (!options.grace_period_seconds) {
    options.grace_period_seconds = pending;
    return result;
  }
  std::int64_t period = *options.grace_period_seconds;
  if (period >= pending) return result;
  VirtualTime when = object.deletion_time().value_or(now) - Seconds(pending) + Seconds(period);
  if (profile.shortened_grace_not_in_past && when < now) {
    when = now;
    if (period != 0) period = 1;
  }
  result.grace = Grace::kStarted;
  result.object = Marked(object, when, period, false);
  return result;
}

}  // namespace

api::Status CheckPreconditions(const api::ResourceInfo& r, const api::Object& object,
                               const api::DeleteOptions& options) {
  if (options.uid && *options.uid != object.uid())
    return PreconditionConflict(r, object, "UID", *options.uid, object.uid(),
                                "deleted and then recreated");
  const std::string rv = std::to_string(object.resource_version());
  if (options.resource_version && *options.resource_version != rv)
    return PreconditionConflict(r, object, "ResourceVersion", *options.resource_version, rv,
                                "modified");
  return api::Status();
}

std::vector<api::StatusCause> DeleteOptionsErrors(const api::DeleteOptions& options,
                                                  bool empty_policy) {
  std::vector<api::StatusCause> causes;
  const std::string_view policy = options.propagation_policy;
  const bool given = empty_policy || !policy.empty();
  if (options.orphan_dependents && given)
    causes.emplace_back(
        "FieldValueInvalid",
        fmt::format(
            "Invalid value: \"{}\": orphanDependents and deletionPropagation cannot be both "
            "set",
            policy),
        "propagationPolicy");
  if (given && policy != "Foreground" && policy != "Background" && policy != "Orphan")
    causes.emplace_back("FieldValueNotSupported",
                        fmt::format("Unsupported value: \"{}\": supported values: \"Foreground\", "
                                    "\"Background\", \"Orphan\", \"nil\"",
                                    policy),
                        "propagationPolicy");
  return causes;
}

api::Status ValidateDeleteOptions(const api::DeleteOptions& options) {
  std::vector<api::StatusCause> causes = DeleteOptionsErrors(options, false);
  if (causes.empty()) return api::Status();
  return api::Invalid("meta.k8s.io", "DeleteOptions", "", std::move(causes));
}

api::Result<BeforeDeleteResult> BeforeDelete(const api::ResourceInfo& r, const api::Object& stored,
                                             api::DeleteOptions& options, VirtualTime now,
                                             const Profile& profile) {
  const api::Status refused = CheckPreconditions(r, stored, options);
  if (!refused.ok()) return refused;
  if (options.grace_period_seconds && *options.grace_period_seconds < 0)
    options.grace_period_seconds = 1;
  const api::Object object = WithoutNegativeGrace(stored);
  BeforeDeleteResult result;
  result.object = object;
  if (!r.graceful_delete) return result;
  if (object.deleting()) return ShortenGrace(object, options, now, profile);
  const std::int64_t period = PodGracePeriod(object, options);
  options.grace_period_seconds = period;
  result.grace = Grace::kStarted;
  result.object = Marked(object, now + Seconds(period), period, true);
  return result;
}

std::optional<std::vector<std::string>> FinalizersForDeletion(const api::ResourceInfo& r,
                                                              const api::Object& object,
                                                              const api::DeleteOptions& options) {
  const std::vector<std::string> present = object.finalizers();
  std::vector<std::string> wanted;
  for (const std::string& finalizer : present) {
    if (finalizer != kOrphan && finalizer != kForeground) wanted.push_back(finalizer);
  }
  if (DefaultPolicy(r) != Policy::kUnsupported) {
    const std::string_view added = PropagationFinalizer(r, present, options);
    if (!added.empty()) wanted.emplace_back(added);
  }
  const bool same = std::all_of(wanted.begin(), wanted.end(),
                                [&](const std::string& f) { return Has(present, f); }) &&
                    std::all_of(present.begin(), present.end(),
                                [&](const std::string& f) { return Has(wanted, f); });
  if (same) return std::nullopt;
  return wanted;
}

api::Object WithFinalizers(const api::Object& object, const std::vector<std::string>& finalizers) {
  std::vector<Value> items;
  for (const std::string& finalizer : finalizers) items.push_back(Value::Of(finalizer));
  Value tree = items.empty() ? object.tree().Erase(kFinalizers)
                             : object.tree().Set(kFinalizers, Value::Array(std::move(items)));
  return api::Object::FromTree(std::move(tree), object.resource_version());
}

api::Object MarkAsDeleting(const api::Object& object, VirtualTime now) {
  const std::optional<VirtualTime> marked = object.deletion_time();
  const VirtualTime when = marked && *marked <= now ? *marked : now;
  return Marked(object, when, 0, !object.deleting());
}

bool ReturnsDeletedObject(const api::ResourceInfo& r) {
  static constexpr std::array<std::string_view, 8> kCore = {
      "namespaces",   "persistentvolumeclaims", "persistentvolumes", "pods",
      "podtemplates", "resourcequotas",         "serviceaccounts",   "services"};
  if (r.group == "resource.k8s.io") return true;
  if (r.group == "storage.k8s.io") return r.resource != "csistoragecapacities";
  return r.group.empty() && std::find(kCore.begin(), kCore.end(), r.resource) != kCore.end();
}

}  // namespace ksim::apiserver
