#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/rules/pod/pod_validation.h"
#include "ksim/api/strategy/strategy.h"
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

// ValidateContainerUpdates. False: nothing more can be compared.
bool CheckContainers(const Value& containers, const Value& old, const FieldPath& path,
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
void CheckGates(const Value& updated, const Value& old, FieldErrorList* errors) {
  if (!errors->profile().pod_scheduling_readiness) return;
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("schedulingGates");
  for (std::size_t i = 0; i < updated.size(); ++i) {
    if (Contains(old, updated.at(i))) continue;
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

// Terms as Go prints them: structs up to 1.33, later JSON of the internal type, whose fields have
// Go's names.
class TermText {
 public:
  explicit TermText(Compat compat) : compat_(compat), json_(ProfileOf(compat).bad_values_as_json) {}

  std::string Terms(const Value& terms) const {
    return List(terms, "core.NodeSelectorTerm", &TermText::Term);
  }
  std::string Term(const Value& term) const {
    return fmt::format(
        fmt::runtime(json_ ? "{{\"MatchExpressions\":{},\"MatchFields\":{}}}"
                           : "core.NodeSelectorTerm{{MatchExpressions:{}, MatchFields:{}}}"),
        List(term.Get(Fields().match_expressions), "core.NodeSelectorRequirement",
             &TermText::Requirement),
        List(term.Get(Fields().match_fields), "core.NodeSelectorRequirement",
             &TermText::Requirement));
  }

 private:
  std::string Requirement(const Value& e) const {
    const Value& values = e.Get("values");
    return fmt::format(
        fmt::runtime(json_ ? "{{\"Key\":{},\"Operator\":{},\"Values\":{}}}"
                           : "core.NodeSelectorRequirement{{Key:{}, Operator:{}, Values:{}}}"),
        GoQuote(e.Get("key").AsString()), GoQuote(e.Get("operator").AsString()),
        GoValue(values, GoShape::kStringSlice, compat_));
  }
  std::string List(const Value& list, std::string_view type,
                   std::string (TermText::*item)(const Value&) const) const {
    if (!list.is_array()) return json_ ? "null" : fmt::format("[]{}(nil)", type);
    std::string out;
    for (const Value& v : list.items()) {
      if (!out.empty()) out += json_ ? "," : ", ";
      out += (this->*item)(v);
    }
    return json_ ? fmt::format("[{}]", out) : fmt::format("[]{}{{{}}}", type, out);
  }

  Compat compat_;
  bool json_;  // as JSON with Go's names, else as Go's %#v
};

void RefuseTerms(const std::string& bad, const FieldPath& path, std::string_view detail,
                 FieldErrorList* errors) {
  errors->Add("FieldValueInvalid", fmt::format("Invalid value: {}: {}", bad, detail),
              path.ToString());
}

bool BeginsWith(const Value& list, const Value& beginning) {
  if (list.size() < beginning.size()) return false;
  for (std::size_t i = 0; i < beginning.size(); ++i) {
    if (list.at(i) != beginning.at(i)) return false;
  }
  return true;
}

// validateNodeSelectorTermHasOnlyAdditions.
bool OnlyAdds(const Value& term, const Value& old) {
  const Value& expressions = old.Get(Fields().match_expressions);
  const Value& fields = old.Get(Fields().match_fields);
  if (expressions.empty() && fields.empty()) {
    return term.Get(Fields().match_expressions).empty() && term.Get(Fields().match_fields).empty();
  }
  return BeginsWith(term.Get(Fields().match_expressions), expressions) &&
         BeginsWith(term.Get(Fields().match_fields), fields);
}

// validateNodeAffinityMutation.
void CheckNodeAffinity(const Value& updated, const Value& old, FieldErrorList* errors) {
  const Value& old_terms = old.Get(Fields().required_during_scheduling_ignored_during_execution)
                               .Get(Fields().node_selector_terms);
  if (old_terms.empty()) return;
  const FieldPath spec("spec");
  const FieldPath affinity = spec.Child("affinity");
  const FieldPath node = affinity.Child("nodeAffinity");
  const FieldPath required =
      node.Child(Fields().required_during_scheduling_ignored_during_execution.text());
  const FieldPath list = required.Child("nodeSelectorTerms");
  const Value& terms = updated.Get(Fields().required_during_scheduling_ignored_during_execution)
                           .Get(Fields().node_selector_terms);
  const TermText text(errors->compat());
  if (terms.size() != old_terms.size()) {
    RefuseTerms(text.Terms(terms), list,
                "no additions/deletions to non-empty NodeSelectorTerms list are allowed", errors);
    return;
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (OnlyAdds(terms.at(i), old_terms.at(i))) continue;
    RefuseTerms(text.Term(terms.at(i)), list.Index(i),
                "only additions are allowed (no mutations or deletions)", errors);
  }
}

// validateNodeSelectorMutation.
void CheckNodeSelector(const Value& updated, const Value& old, FieldErrorList* errors) {
  for (const Value::Member& m : old.members()) {
    if (updated.Get(m.name) == m.value) continue;
    const FieldPath spec("spec");
    errors->Invalid(spec.Child("nodeSelector"), updated, GoShape::kStringMap,
                    "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
    return;
  }
}

// An affinity with the old node affinity put back.
Value MungeAffinity(const Value& affinity, const Value& old) {
  const Value& old_node = old.Get(Fields().node_affinity);
  if (affinity.is_null()) {
    return old_node.is_null() ? affinity : value::Obj({{"nodeAffinity", old_node}});
  }
  const bool only_node =
      affinity.Get("podAffinity").is_null() && affinity.Get("podAntiAffinity").is_null();
  if (old.is_null() && only_node) return Value();
  return SetOrErase(affinity, Fields().node_affinity, old_node);
}

// A gated pod may be steered more tightly: more nodeSelector, more required node affinity. From
// 1.26 on. Returns the spec with both put back.
Value CheckSteering(Value munged, const Value& old, FieldErrorList* errors) {
  if (!errors->profile().pod_scheduling_readiness || old.Get(Fields().scheduling_gates).empty())
    return munged;
  const Value& selector = old.Get(Fields().node_selector);
  if (munged.Get(Fields().node_selector) != selector) {
    CheckNodeSelector(munged.Get(Fields().node_selector), selector, errors);
    munged = SetOrErase(std::move(munged), Fields().node_selector, selector);
  }
  const Value affinity = munged.Get(Fields().affinity);
  const Value& old_affinity = old.Get(Fields().affinity);
  const Value& old_node = old_affinity.Get(Fields().node_affinity);
  if (affinity.Get(Fields().node_affinity) == old_node) return munged;
  CheckNodeAffinity(affinity.Get(Fields().node_affinity), old_node, errors);
  return SetOrErase(std::move(munged), Fields().affinity, MungeAffinity(affinity, old_affinity));
}

// The new spec with everything put back that may change.
Value Munge(const Value& spec, const Value& old) {
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

// From 1.27 to 1.31. Upstream names the metadata, and the status's class.
void CheckQos(const Value& pod, const Value& old, FieldErrorList* errors) {
  if (!errors->profile().pod_update_keeps_qos) return;
  static const value::Path kQos{"status", "qosClass"};
  if (old.Get(kQos).AsString() == ComputeQosClass(pod.Get(Fields().spec))) return;
  errors->Invalid(FieldPath("metadata"), pod.Get(kQos).AsString(), "Pod QoS is immutable");
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
  const Value& spec = pod.Get(Fields().spec);
  const Value& old_spec = old.Get(Fields().spec);
  ValidatePodMetadataAndSpec(pod, old, errors);
  if (spec.SameTree(old_spec)) return;
  for (const Atom list : {Fields().containers, Fields().init_containers}) {
    if (!CheckContainers(spec.Get(list), old_spec.Get(list), path.Child(list.text()), errors)) {
      return;
    }
  }
  if (!CheckDeadline(spec.Get(Fields().active_deadline_seconds),
                     old_spec.Get(Fields().active_deadline_seconds), errors))
    return;
  CheckTolerations(spec.Get(Fields().tolerations), old_spec.Get(Fields().tolerations), errors);
  CheckGates(spec.Get(Fields().scheduling_gates), old_spec.Get(Fields().scheduling_gates), errors);
  if (spec == old_spec) return;
  CheckQos(pod, old, errors);
  const Value munged = CheckSteering(Munge(spec, old_spec), old_spec, errors);
  if (munged == old_spec) return;
  const bool old_text = errors->profile().updatable_fields_of_125;
  errors->Forbidden(path,
                    fmt::format("pod updates may not change fields other than {}\n{}",
                                old_text ? kUpdatable125 : kUpdatable, Describe(old_spec, munged)));
}

}  // namespace ksim::api
