#include "ksim/api/rules/pod/pod_affinity.h"

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/label_keys.h"

namespace ksim::api {

using value::Value;

namespace {

// ValidateNodeSelectorRequirement. `required`: the node must fit the term.
void CheckNodeExpression(const Value& e, bool required, const FieldPath& path,
                         FieldErrorList* errors) {
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
  ValidateLabelName(e.Get(Fields().key).AsString(), path.Child("key"), errors);
  if (!required || !errors->profile().required_node_affinity_values) return;
  const FieldPath list = path.Child("values");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view text = values.at(i).AsString();
    errors->InvalidAll(list.Index(i), text, LabelValue(text, errors->compat()));
  }
}

// ValidateNodeFieldSelectorRequirement.
void CheckNodeField(const Value& e, const FieldPath& path, FieldErrorList* errors) {
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

void CheckNodeTerm(const Value& term, bool required, const FieldPath& path,
                   FieldErrorList* errors) {
  const Value& expressions = term.Get(Fields().match_expressions);
  const FieldPath list = path.Child("matchExpressions");
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    CheckNodeExpression(expressions.at(i), required, list.Index(i), errors);
  }
  const Value& fields = term.Get(Fields().match_fields);
  const FieldPath field_list = path.Child("matchFields");
  for (std::size_t i = 0; i < fields.size(); ++i) {
    CheckNodeField(fields.at(i), field_list.Index(i), errors);
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
    ValidateNodeSelector(
        required, path.Child(Fields().required_during_scheduling_ignored_during_execution.text()),
        errors);
  }
  const Value& preferred =
      affinity.Get(Fields().preferred_during_scheduling_ignored_during_execution);
  const FieldPath list =
      path.Child(Fields().preferred_during_scheduling_ignored_during_execution.text());
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    const FieldPath at = list.Index(i);
    CheckWeight(preferred.at(i), at, errors);
    CheckNodeTerm(preferred.at(i).Get(Fields().preference), false, at.Child("preference"), errors);
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
  if (errors->profile().pod_affinity_label_keys) ValidateLabelKeys(term, path, errors);
  const std::string_view key = term.Get(Fields().topology_key).AsString();
  if (key.empty()) errors->Required(path.Child("topologyKey"), "can not be empty");
  ValidateLabelName(key, path.Child("topologyKey"), errors);
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

}  // namespace

void ValidateNodeSelector(const Value& selector, const FieldPath& path, FieldErrorList* errors) {
  const FieldPath list = path.Child("nodeSelectorTerms");
  const Value& terms = selector.Get(Fields().node_selector_terms);
  if (terms.empty()) errors->Required(list, "must have at least one node selector term");
  for (std::size_t i = 0; i < terms.size(); ++i) {
    CheckNodeTerm(terms.at(i), true, list.Index(i), errors);
  }
}

void ValidateAffinity(const Value& affinity, const FieldPath& path, FieldErrorList* errors) {
  if (!affinity.is_object()) return;
  CheckNodeAffinity(affinity.Get(Fields().node_affinity), path.Child("nodeAffinity"), errors);
  CheckPodAffinity(affinity.Get(Fields().pod_affinity), path.Child("podAffinity"), errors);
  CheckPodAffinity(affinity.Get(Fields().pod_anti_affinity), path.Child("podAntiAffinity"), errors);
}

}  // namespace ksim::api
