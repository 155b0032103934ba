// Affinity and topology spread constraints.
//
// Source: pkg/apis/core/validation/validation.go validateAffinity, ValidateNodeSelectorRequirement,
// validatePodAffinityTerm, validateTopologySpreadConstraints.
#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/pod_parts.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

// ValidateLabelName.
void CheckLabelName(std::string_view name, const FieldPath& path, FieldErrorList* errors) {
  errors->InvalidAll(path, name, QualifiedName(name, errors->compat()));
}

// ValidateNodeSelectorRequirement. From 1.33 on values of terms that must match are checked too.
void CheckExpression(const Value& e, bool required, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view op = e.Get(Fields().operator_).AsString();
  const Value& values = e.Get(Fields().values);
  if (op == "In" || op == "NotIn") {
    if (values.empty()) {
      errors->Required(path.Child("values"),
                       "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      errors->Forbidden(path.Child("values"),
                        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (op == "Gt" || op == "Lt") {
    if (values.size() != 1) {
      errors->Required(path.Child("values"),
                       "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    errors->Invalid(path.Child("operator"), op, "not a valid selector operator");
  }
  CheckLabelName(e.Get(Fields().key).AsString(), path.Child("key"), errors);
  if (!required || !errors->profile().required_node_affinity_values) return;
  const FieldPath list = path.Child("values");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view text = values.at(i).AsString();
    errors->InvalidAll(list.Index(i), text, LabelValue(text, errors->compat()));
  }
}

// ValidateNodeFieldSelectorRequirement.
void CheckField(const Value& e, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view op = e.Get(Fields().operator_).AsString();
  const Value& values = e.Get(Fields().values);
  if (op != "In" && op != "NotIn") {
    errors->Invalid(path.Child("operator"), op, "not a valid selector operator");
  } else if (values.size() != 1) {
    errors->Required(path.Child("values"),
                     "must be only one value when `operator` is 'In' or 'NotIn' for node field "
                     "selector");
  }
  const std::string_view key = e.Get(Fields().key).AsString();
  if (key != "metadata.name") {
    errors->Invalid(path.Child("key"), key, "not a valid field selector key");
    return;
  }
  const FieldPath list = path.Child("values");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view name = values.at(i).AsString();
    errors->InvalidAll(list.Index(i), name, Dns1123Subdomain(name));
  }
}

void CheckTerm(const Value& term, bool required, const FieldPath& path, FieldErrorList* errors) {
  const Value& expressions = term.Get(Fields().match_expressions);
  const FieldPath list = path.Child("matchExpressions");
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    CheckExpression(expressions.at(i), required, list.Index(i), errors);
  }
  const Value& fields = term.Get(Fields().match_fields);
  const FieldPath field_list = path.Child("matchFields");
  for (std::size_t i = 0; i < fields.size(); ++i) {
    CheckField(fields.at(i), field_list.Index(i), errors);
  }
}

void CheckWeight(const Value& weighted, const FieldPath& path, FieldErrorList* errors) {
  const std::int64_t weight = weighted.Get(Fields().weight).AsInt();
  if (weight > 0 && weight <= 100) return;
  errors->Invalid(path.Child("weight"), weight, "must be in the range 1-100");
}

void CheckNodeAffinity(const Value& affinity, const FieldPath& path, FieldErrorList* errors) {
  const Value& required =
      affinity.Get(Fields().required_during_scheduling_ignored_during_execution);
  if (required.is_object()) {
    const FieldPath selector =
        path.Child(Fields().required_during_scheduling_ignored_during_execution.text());
    const FieldPath list = selector.Child("nodeSelectorTerms");
    const Value& terms = required.Get(Fields().node_selector_terms);
    if (terms.empty()) errors->Required(list, "must have at least one node selector term");
    for (std::size_t i = 0; i < terms.size(); ++i) {
      CheckTerm(terms.at(i), true, list.Index(i), errors);
    }
  }
  const Value& preferred =
      affinity.Get(Fields().preferred_during_scheduling_ignored_during_execution);
  const FieldPath list =
      path.Child(Fields().preferred_during_scheduling_ignored_during_execution.text());
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    const FieldPath at = list.Index(i);
    CheckWeight(preferred.at(i), at, errors);
    CheckTerm(preferred.at(i).Get(Fields().preference), false, at.Child("preference"), errors);
  }
}

bool Has(const Value& list, const Value& item) {
  const auto items = list.items();
  return std::find(items.begin(), items.end(), item) != items.end();
}

// validateLabelKeys.
void CheckLabelKeys(const Value& keys, const Value& selector, const FieldPath& path,
                    FieldErrorList* errors) {
  if (keys.empty()) return;
  if (selector.is_null()) {
    errors->Forbidden(path, "must not be specified when labelSelector is not set");
    return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CheckLabelName(keys.at(i).AsString(), path.Index(i), errors);
  }
}

// ValidateMatchLabelKeysAndMismatchLabelKeys. A key may be in the selector once: the server itself
// adds it there.
void CheckBothLabelKeys(const Value& term, const FieldPath& path, FieldErrorList* errors) {
  const Value& match = term.Get(Fields().match_label_keys);
  const Value& mismatch = term.Get(Fields().mismatch_label_keys);
  const Value& selector = term.Get(Fields().label_selector);
  CheckLabelKeys(match, selector, path.Child("matchLabelKeys"), errors);
  CheckLabelKeys(mismatch, selector, path.Child("mismatchLabelKeys"), errors);
  const Value& expressions = selector.Get(Fields().match_expressions);
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const Value& key = expressions.at(i).Get(Fields().key);
    if (!Has(match, key)) continue;
    bool before = selector.Get(Fields().match_labels).Has(key.AsString());
    for (std::size_t j = 0; j < i; ++j)
      before = before || expressions.at(j).Get(Fields().key) == key;
    if (!before) continue;
    std::size_t at = 0;
    for (std::size_t j = 0; j < match.size(); ++j) at = match.at(j) == key ? j : at;
    errors->Invalid(path.Index(at), key.AsString(),
                    "exists in both matchLabelKeys and labelSelector");
  }
  const FieldPath list = path.Child("matchLabelKeys");
  for (std::size_t i = 0; i < match.size(); ++i) {
    if (!Has(mismatch, match.at(i))) continue;
    errors->Invalid(list.Index(i), match.at(i).AsString(),
                    "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

// validatePodAffinityTerm.
void CheckPodTerm(const Value& term, const FieldPath& path, FieldErrorList* errors) {
  ValidateLabelSelector(term.Get(Fields().label_selector), path.Child("labelSelector"), errors);
  ValidateLabelSelector(term.Get(Fields().namespace_selector), path.Child("namespaceSelector"),
                        errors);
  for (const Value& ns : term.Get(Fields().namespaces).items()) {
    errors->InvalidAll(path.Child("namespace"), ns.AsString(),
                       Dns1123Label(ns.AsString(), errors->compat()));
  }
  if (errors->profile().pod_affinity_label_keys) CheckBothLabelKeys(term, path, errors);
  const std::string_view key = term.Get(Fields().topology_key).AsString();
  if (key.empty()) errors->Required(path.Child("topologyKey"), "can not be empty");
  CheckLabelName(key, path.Child("topologyKey"), errors);
}

void CheckPodAffinity(const Value& affinity, const FieldPath& path, FieldErrorList* errors) {
  const Value& required =
      affinity.Get(Fields().required_during_scheduling_ignored_during_execution);
  const FieldPath required_list =
      path.Child(Fields().required_during_scheduling_ignored_during_execution.text());
  for (std::size_t i = 0; i < required.size(); ++i) {
    CheckPodTerm(required.at(i), required_list.Index(i), errors);
  }
  const Value& preferred =
      affinity.Get(Fields().preferred_during_scheduling_ignored_during_execution);
  const FieldPath list =
      path.Child(Fields().preferred_during_scheduling_ignored_during_execution.text());
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    const FieldPath at = list.Index(i);
    CheckWeight(preferred.at(i), at, errors);
    CheckPodTerm(preferred.at(i).Get(Fields().pod_affinity_term), at.Child("podAffinityTerm"),
                 errors);
  }
}

void CheckMinDomains(const Value& constraint, const FieldPath& path, FieldErrorList* errors) {
  const Value& domains = constraint.Get(Fields().min_domains);
  if (domains.is_null()) return;
  if (domains.AsInt() <= 0) errors->Invalid(path, domains.AsInt(), "must be greater than zero");
  const std::string_view action = constraint.Get(Fields().when_unsatisfiable).AsString();
  if (action == "DoNotSchedule") return;
  errors->Invalid(
      path, domains.AsInt(),
      fmt::format("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}", action));
}

// validateMatchLabelKeysInTopologySpread; from 1.34 on as of affinity terms.
void CheckSpreadLabelKeys(const Value& constraint, const FieldPath& at, FieldErrorList* errors) {
  if (errors->profile().spread_label_keys_merge) {
    return CheckBothLabelKeys(constraint, at, errors);
  }
  const Value& keys = constraint.Get(Fields().match_label_keys);
  const Value& selector = constraint.Get(Fields().label_selector);
  const FieldPath path = at.Child("matchLabelKeys");
  if (keys.empty()) return;
  if (selector.is_null()) {
    errors->Forbidden(path, "must not be specified when labelSelector is not set");
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string_view key = keys.at(i).AsString();
    CheckLabelName(key, path.Index(i), errors);
    bool there = selector.Get(Fields().match_labels).Has(key);
    for (const Value& e : selector.Get(Fields().match_expressions).items()) {
      there = there || e.Get(Fields().key).AsString() == key;
    }
    if (!there) continue;
    errors->Invalid(path.Index(i), key, "exists in both matchLabelKeys and labelSelector");
  }
}

void CheckConstraint(const Value& constraints, std::size_t i, const FieldPath& path,
                     FieldErrorList* errors) {
  const Value& c = constraints.at(i);
  const std::int64_t skew = c.Get(Fields().max_skew).AsInt();
  if (skew <= 0) errors->Invalid(path.Child("maxSkew"), skew, "must be greater than zero");
  const std::string_view key = c.Get(Fields().topology_key).AsString();
  if (key.empty()) errors->Required(path.Child("topologyKey"), "can not be empty");
  const std::string_view action = c.Get(Fields().when_unsatisfiable).AsString();
  ValidateChoice(action, false, path.Child("whenUnsatisfiable"),
                 {"DoNotSchedule", "ScheduleAnyway"}, errors);
  for (std::size_t j = i + 1; j < constraints.size(); ++j) {
    const Value& other = constraints.at(j);
    if (other.Get(Fields().topology_key).AsString() != key) continue;
    if (other.Get(Fields().when_unsatisfiable).AsString() != action) continue;
    errors->Duplicate(path.Child("{topologyKey, whenUnsatisfiable}"),
                      fmt::format("{{{}, {}}}", key, action));
    break;
  }
  CheckMinDomains(c, path.Child("minDomains"), errors);
  for (const Atom policy : {Fields().node_affinity_policy, Fields().node_taints_policy}) {
    if (c.Get(policy).is_null()) continue;
    ValidateChoice(c.Get(policy).AsString(), false, path.Child(policy.text()), {"Honor", "Ignore"},
                   errors);
  }
  CheckSpreadLabelKeys(c, path, errors);
  if (!errors->profile().spread_selector) return;
  ValidateLabelSelector(c.Get(Fields().label_selector), path.Child("labelSelector"), errors);
}

}  // namespace

void ValidateAffinity(const Value& affinity, const FieldPath& path, FieldErrorList* errors) {
  if (!affinity.is_object()) return;
  CheckNodeAffinity(affinity.Get(Fields().node_affinity), path.Child("nodeAffinity"), errors);
  CheckPodAffinity(affinity.Get(Fields().pod_affinity), path.Child("podAffinity"), errors);
  CheckPodAffinity(affinity.Get(Fields().pod_anti_affinity), path.Child("podAntiAffinity"), errors);
}

void ValidateTopologySpread(const Value& constraints, const FieldPath& path,
                            FieldErrorList* errors) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    CheckConstraint(constraints, i, path.Index(i), errors);
  }
}

}  // namespace ksim::api
