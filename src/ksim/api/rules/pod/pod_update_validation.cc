#include "ksim/api/rules/pod/pod_update_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/rules/pod/gated_pod_update.h"
#include "ksim/api/rules/pod/pod_validation.h"
#include "ksim/api/rules/pod/tolerations.h"
#include "ksim/api/views/qos.h"
#include "ksim/value/diff.h"
#include "ksim/value/json.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

constexpr std::string_view kUpdatable =
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing "
    "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
    "previously negative)";
constexpr std::string_view kUpdatable125 =
    "`spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, "
    "`spec.tolerations` (only additions to existing tolerations) or "
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

// ValidateContainerUpdates. False: the containers cannot be compared any further.
bool CheckUpdatedImages(const Value& containers, const Value& old, const FieldPath& path,
                        FieldErrorList* errors) {
  if (containers.size() != old.size()) {
    errors->Forbidden(path, "pod updates may not add or remove containers");
    return false;
  }
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const std::string_view image = containers.at(i).Get(Fields().image).AsString();
    const FieldPath at = path.Index(i);
    if (image.empty()) {
      errors->Required(at.Child("image"));
    } else if (image.front() == ' ' || image.back() == ' ') {
      errors->Invalid(at.Child("image"), image, "must not have leading or trailing whitespace");
    }
  }
  return true;
}

// False: upstream compares nothing after this error.
bool CheckUpdatedDeadline(const Value& updated, const Value& old, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("activeDeadlineSeconds");
  if (updated.is_int()) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    if (updated.AsInt() < 0 || updated.AsInt() > kMax) {
      errors->Invalid(path, updated.AsInt(), "must be between 0 and 2147483647, inclusive");
      return false;
    }
    if (old.is_int() && old.AsInt() < updated.AsInt()) {
      errors->Invalid(path, updated.AsInt(), "must be less than or equal to previous value");
      return false;
    }
  } else if (old.is_int()) {
    errors->Invalid(path, Value(), GoShape::kOther,
                    "must not update from a positive integer to nil value");
  }
  return true;
}

bool HasGate(const Value& list, const Value& item) {
  const auto items = list.items();
  return std::find(items.begin(), items.end(), item) != items.end();
}

// validateOnlyAddedTolerations.
void CheckAddedTolerations(const Value& updated, const Value& old, FieldErrorList* errors) {
  const FieldPath spec("spec");
  for (const Value& o : old.items()) {
    // The seconds of a toleration may change.
    const auto items = updated.items();
    const bool kept = std::any_of(items.begin(), items.end(), [&](const Value& t) {
      return t.Erase("tolerationSeconds") == o.Erase("tolerationSeconds");
    });
    if (!kept) {
      errors->Forbidden(spec.Child("tolerations"),
                        "existing toleration can not be modified except its tolerationSeconds");
      return;
    }
  }
  ValidateTolerations(updated, spec.Child("tolerations"), errors);
}

// validateOnlyDeletedSchedulingGates.
void CheckRemovedGates(const Value& updated, const Value& old, FieldErrorList* errors) {
  if (!errors->profile().pod_scheduling_readiness) return;
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("schedulingGates");
  for (std::size_t i = 0; i < updated.size(); ++i) {
    if (HasGate(old, updated.at(i))) continue;
    const FieldPath at = path.Index(i);
    errors->Forbidden(at.Child("name"),
                      "only deletion is allowed, but found new scheduling gate '" +
                          std::string(updated.at(i).Get(Fields().name).AsString()) + "'");
  }
}

Value WithImagesOf(const Value& containers, const Value& old) {
  std::vector<Value> items;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    items.push_back(SetOrErase(containers.at(i), Fields().image, old.at(i).Get(Fields().image)));
  }
  return Value::Array(std::move(items));
}

// The new spec with every field put back that may change.
Value WithUpdatableFieldsOf(const Value& spec, const Value& old) {
  Value munged = spec;
  for (const Atom list : {Fields().containers, Fields().init_containers}) {
    if (!spec.Get(list).is_array()) continue;
    munged = std::move(munged).Set(list, WithImagesOf(spec.Get(list), old.Get(list)));
  }
  munged = SetOrErase(std::move(munged), Fields().active_deadline_seconds,
                      old.Get(Fields().active_deadline_seconds));
  munged = SetOrErase(std::move(munged), Fields().tolerations, old.Get(Fields().tolerations));
  munged =
      SetOrErase(std::move(munged), Fields().scheduling_gates, old.Get(Fields().scheduling_gates));
  const Value& grace = old.Get(Fields().termination_grace_period_seconds);
  if (grace.is_int() && grace.AsInt() < 0 &&
      spec.Get(Fields().termination_grace_period_seconds).AsInt() == 1) {
    munged = std::move(munged).Set(Fields().termination_grace_period_seconds, grace);
  }
  return munged;
}

// Upstream names the metadata as the field, and shows the class of the status.
void CheckQos(const Value& pod, const Value& old, FieldErrorList* errors) {
  if (!errors->profile().pod_update_keeps_qos) return;
  static const value::Path kQos{"status", "qosClass"};
  if (old.Get(kQos).AsString() == ComputeQosClass(pod.Get(Fields().spec))) return;
  errors->Invalid(FieldPath("metadata"), pod.Get(kQos).AsString(), "Pod QoS is immutable");
}

}  // namespace

std::string ChangedFields(const Value& old, const Value& updated) {
  std::string text;
  for (const value::Change& change : value::Diff(old, updated)) {
    const std::string path = change.path.ToString();
    if (change.before) text += fmt::format("-\t{}: {}\n", path, value::ToJson(*change.before));
    if (change.after) text += fmt::format("+\t{}: {}\n", path, value::ToJson(*change.after));
  }
  return text;
}

void ValidatePodUpdate(const Value& pod, const Value& old, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = pod.Get(Fields().spec);
  const Value& old_spec = old.Get(Fields().spec);
  ValidatePodMetadataAndSpec(pod, old, errors);
  if (spec.SameTree(old_spec)) return;
  for (const Atom list : {Fields().containers, Fields().init_containers}) {
    if (!CheckUpdatedImages(spec.Get(list), old_spec.Get(list), path.Child(list.text()), errors)) {
      return;
    }
  }
  if (!CheckUpdatedDeadline(spec.Get(Fields().active_deadline_seconds),
                            old_spec.Get(Fields().active_deadline_seconds), errors))
    return;
  CheckAddedTolerations(spec.Get(Fields().tolerations), old_spec.Get(Fields().tolerations), errors);
  CheckRemovedGates(spec.Get(Fields().scheduling_gates), old_spec.Get(Fields().scheduling_gates),
                    errors);
  if (spec == old_spec) return;
  CheckQos(pod, old, errors);
  const Value munged = TakeSteeringBack(WithUpdatableFieldsOf(spec, old_spec), old_spec, errors);
  if (munged == old_spec) return;
  const bool old_text = errors->profile().updatable_fields_of_125;
  errors->Forbidden(
      path, fmt::format("pod updates may not change fields other than {}\n{}",
                        old_text ? kUpdatable125 : kUpdatable, ChangedFields(old_spec, munged)));
}

}  // namespace ksim::api
