#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "ksim/api/pod_validation.h"
#include "ksim/api/tree_edit.h"
#include "ksim/value/diff.h"
#include "ksim/value/json.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

struct Names {
  Atom containers{"containers"}, container_statuses{"containerStatuses"},
      deadline{"activeDeadlineSeconds"}, exit_code{"exitCode"}, gates{"schedulingGates"},
      grace{"terminationGracePeriodSeconds"}, image{"image"}, init_containers{"initContainers"},
      name{"name"}, node_name{"nodeName"}, node_selector{"nodeSelector"},
      restart_policy{"restartPolicy"}, spec{"spec"}, state{"state"}, status{"status"},
      terminated{"terminated"}, tolerations{"tolerations"}, node_affinity{"nodeAffinity"},
      affinity{"affinity"};
};
const Names& N() {
  static const Names names;
  return names;
}

constexpr std::string_view kUpdatable =
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing "
    "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
    "previously negative)";
constexpr std::string_view kUpdatable125 =
    "`spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, "
    "`spec.tolerations` (only additions to existing tolerations) or "
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

// ValidateContainerUpdates. False: nothing more can be compared.
bool CheckContainers(const Value& containers, const Value& old, const FieldPath& path,
                     FieldErrorList* errors) {
  if (containers.size() != old.size()) {
    errors->Forbidden(path, "pod updates may not add or remove containers");
    return false;
  }
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const std::string_view image = containers.at(i).Get(N().image).AsString();
    const FieldPath at = path.Index(i);
    if (image.empty()) {
      errors->Required(at.Child("image"));
    } else if (image.front() == ' ' || image.back() == ' ') {
      errors->Invalid(at.Child("image"), image, "must not have leading or trailing whitespace");
    }
  }
  return true;
}

// False: no further comparison, as upstream.
bool CheckDeadline(const Value& updated, const Value& old, FieldErrorList* errors) {
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

bool Contains(const Value& list, const Value& item) {
  const auto items = list.items();
  return std::find(items.begin(), items.end(), item) != items.end();
}

// validateOnlyAddedTolerations.
void CheckTolerations(const Value& updated, const Value& old, FieldErrorList* errors) {
  static const Atom kSeconds("tolerationSeconds");
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
}

// validateOnlyDeletedSchedulingGates.
void CheckGates(const Value& updated, const Value& old, FieldErrorList* errors) {
  if (errors->compat() == Compat::k1_25) return;
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("schedulingGates");
  for (std::size_t i = 0; i < updated.size(); ++i) {
    if (Contains(old, updated.at(i))) continue;
    const FieldPath at = path.Index(i);
    errors->Forbidden(at.Child("name"),
                      "only deletion is allowed, but found new scheduling gate '" +
                          std::string(updated.at(i).Get(N().name).AsString()) + "'");
  }
}

Value WithImagesOf(const Value& containers, const Value& old) {
  std::vector<Value> items;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    items.push_back(SetOrErase(containers.at(i), N().image, old.at(i).Get(N().image)));
  }
  return Value::Array(std::move(items));
}

// The new spec with everything put back that may change.
Value Munge(const Value& spec, const Value& old, Compat compat) {
  Value munged = spec;
  for (const Atom list : {N().containers, N().init_containers}) {
    if (!spec.Get(list).is_array()) continue;
    munged = std::move(munged).Set(list, WithImagesOf(spec.Get(list), old.Get(list)));
  }
  munged = SetOrErase(std::move(munged), N().deadline, old.Get(N().deadline));
  munged = SetOrErase(std::move(munged), N().tolerations, old.Get(N().tolerations));
  munged = SetOrErase(std::move(munged), N().gates, old.Get(N().gates));
  const Value& grace = old.Get(N().grace);
  if (grace.is_int() && grace.AsInt() < 0 && spec.Get(N().grace).AsInt() == 1) {
    munged = std::move(munged).Set(N().grace, grace);
  }
  // A gated pod may be steered more tightly: more nodeSelector, more required node affinity.
  if (compat != Compat::k1_25 && !old.Get(N().gates).empty()) {
    bool tighter = true;
    for (const Value::Member& m : old.Get(N().node_selector).members()) {
      tighter = tighter && spec.Get(N().node_selector).Get(m.name) == m.value;
    }
    if (tighter) {
      munged = SetOrErase(std::move(munged), N().node_selector, old.Get(N().node_selector));
    }
    if (old.Get(N().affinity).Get(N().node_affinity).is_null()) {
      munged = SetOrErase(std::move(munged), N().affinity, old.Get(N().affinity));
    }
  }
  return munged;
}

std::string Describe(const Value& old, const Value& munged) {
  std::string text;
  for (const value::Change& change : value::Diff(old, munged)) {
    const std::string path = change.path.ToString();
    if (change.before) text += fmt::format("-\t{}: {}\n", path, value::ToJson(*change.before));
    if (change.after) text += fmt::format("+\t{}: {}\n", path, value::ToJson(*change.after));
  }
  return text;
}

}  // namespace

void ValidatePodUpdate(const Value& pod, const Value& old, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = pod.Get(N().spec);
  const Value& old_spec = old.Get(N().spec);
  ValidatePodMetadataAndSpec(pod, errors);
  if (spec.SameTree(old_spec)) return;
  for (const Atom list : {N().containers, N().init_containers}) {
    if (!CheckContainers(spec.Get(list), old_spec.Get(list), path.Child(list.text()), errors)) {
      return;
    }
  }
  if (!CheckDeadline(spec.Get(N().deadline), old_spec.Get(N().deadline), errors)) return;
  CheckTolerations(spec.Get(N().tolerations), old_spec.Get(N().tolerations), errors);
  CheckGates(spec.Get(N().gates), old_spec.Get(N().gates), errors);
  const Value munged = Munge(spec, old_spec, errors->compat());
  if (munged == old_spec) return;
  const bool old_text = errors->compat() == Compat::k1_25;
  errors->Forbidden(path,
                    fmt::format("pod updates may not change fields other than {}\n{}",
                                old_text ? kUpdatable125 : kUpdatable, Describe(old_spec, munged)));
}

// ValidateContainerStateTransition.
void ValidatePodStatusUpdate(const Value& pod, const Value& old, FieldErrorList* errors) {
  const std::string_view policy = pod.Get(N().spec).Get(N().restart_policy).AsString();
  if (policy == "Always") return;
  const FieldPath status("status");
  const FieldPath path = status.Child("containerStatuses");
  const Value& statuses = pod.Get(N().status).Get(N().container_statuses);
  const Value& old_statuses = old.Get(N().status).Get(N().container_statuses);
  for (std::size_t i = 0; i < old_statuses.size(); ++i) {
    const Value& before = old_statuses.at(i);
    const Value& ended = before.Get(N().state).Get(N().terminated);
    if (!ended.is_object()) continue;
    if (policy == "OnFailure" && ended.Get(N().exit_code).AsInt() != 0) continue;
    for (const Value& after : statuses.items()) {
      if (after.Get(N().name) != before.Get(N().name)) continue;
      if (after.Get(N().state).Get(N().terminated).is_object()) continue;
      const FieldPath at = path.Index(i);
      errors->Forbidden(at.Child("state"), "may not be transitioned to non-terminated state");
    }
  }
}

}  // namespace ksim::api
