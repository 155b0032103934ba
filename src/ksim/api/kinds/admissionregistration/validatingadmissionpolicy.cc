// The kinds ValidatingAdmissionPolicy and ValidatingAdmissionPolicyBinding of
// admissionregistration.k8s.io/v1. Their expressions are not evaluated, nor looked at.
//
// Source: pkg/apis/admissionregistration/v1/defaults.go; pkg/apis/admissionregistration/validation;
// pkg/printers/internalversion/printers.go printValidatingAdmissionPolicy and its binding.
#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/admissionregistration/webhooks.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

// SetDefaults_MatchResources, SetDefaults_Rule
Value DefaultMatchResources(const Value& given) {
  Value match = given;
  const auto give = [&](std::string_view field, Value fallback) {
    if (match.Get(field).is_null()) match = std::move(match).Set(field, std::move(fallback));
  };
  give("matchPolicy", Value::Of("Equivalent"));
  give("namespaceSelector", Value::EmptyObject());
  give("objectSelector", Value::EmptyObject());
  for (const char* list : {"resourceRules", "excludeResourceRules"}) {
    const Value rules = match.Get(list);
    if (rules.empty()) continue;
    match = std::move(match).Set(
        list, EditItems(rules, [](const Value& rule) {
          return rule.Get("scope").is_null() ? rule.Set("scope", Value::Of("*")) : rule;
        }));
  }
  return match;
}

Value DefaultPolicy(const Value& tree, Compat) {
  return EditSpec(tree, [](const Value& s) {
    Value spec = s;
    if (spec.Get("failurePolicy").is_null())
      spec = std::move(spec).Set("failurePolicy", Value::Of("Fail"));
    const Value match = spec.Get("matchConstraints");
    return match.is_null() ? spec
                           : std::move(spec).Set("matchConstraints", DefaultMatchResources(match));
  });
}

Value DefaultPolicyBinding(const Value& tree, Compat) {
  return EditSpec(tree, [](const Value& spec) {
    const Value match = spec.Get("matchResources");
    return match.is_null() ? spec : spec.Set("matchResources", DefaultMatchResources(match));
  });
}

void ValidatePolicy(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  ValidateChoice(spec.Get("failurePolicy").AsString(), true, path.Child("failurePolicy"),
                 {"Fail", "Ignore"}, errors);
  const FieldPath match = path.Child("matchConstraints");
  if (spec.Get("matchConstraints").is_null()) {
    errors->Required(match);
  } else if (spec.Get("matchConstraints").Get("resourceRules").empty()) {
    errors->Required(match.Child("resourceRules"));
  }
  const FieldPath validations = path.Child("validations");
  if (spec.Get("validations").empty() && spec.Get("auditAnnotations").empty()) {
    for (const char* field : {"validations", "auditAnnotations"})
      errors->Required(path.Child(field),
                       "validations or auditAnnotations must contain at least one item");
  }
  for (std::size_t i = 0; i < spec.Get("validations").size(); ++i) {
    const FieldPath at = validations.Index(i);
    if (spec.Get("validations").at(i).Get("expression").AsString().empty())
      errors->Required(at.Child("expression"), "expression is not specified");
  }
}

// validateParamRef
void CheckParamRef(const Value& ref, const FieldPath& path, FieldErrorList* errors) {
  constexpr std::string_view kOneOnly = "name and selector are mutually exclusive";
  if (ref.is_null()) return;
  const std::string_view name = ref.Get("name").AsString();
  const bool selects = !ref.Get("selector").is_null();
  if (!name.empty()) {
    errors->InvalidAll(path.Child("name"), name, PathSegmentName(name));
    if (selects) errors->Forbidden(path.Child("name"), kOneOnly);
  }
  if (selects) {
    ValidateLabelSelector(ref.Get("selector"), path.Child("selector"), errors);
    if (!name.empty()) errors->Forbidden(path.Child("selector"), kOneOnly);
  }
  if (name.empty() && !selects) errors->Required(path, "one of name or selector must be specified");
  ValidateChoice(ref.Get("parameterNotFoundAction").AsString(), true,
                 path.Child("parameterNotFoundAction"), {"Deny", "Allow"}, errors);
}

// validateValidationActions
void CheckActions(const Value& actions, const FieldPath& path, FieldErrorList* errors) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view action = actions.at(i).AsString();
    if (action != "Audit" && action != "Deny" && action != "Warn")
      errors->NotSupported(at, action, {"Audit", "Deny", "Warn"});
    if (!seen.insert(action).second) errors->Duplicate(at, action);
  }
  if (seen.contains("Deny") && seen.contains("Warn"))
    errors->Invalid(path, actions, GoShape::kOther,
                    "must not contain both Deny and Warn (repeating the same validation failure "
                    "information in the API response and headers serves no purpose)");
  if (seen.empty()) errors->Required(path, "at least one validation action is required");
}

void ValidatePolicyBinding(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  const std::string_view policy = spec.Get("policyName").AsString();
  if (policy.empty()) {
    errors->Required(path.Child("policyName"));
  } else {
    errors->InvalidAll(path.Child("policyName"), policy, Dns1123Subdomain(policy));
  }
  CheckParamRef(spec.Get("paramRef"), path.Child("paramRef"), errors);
  CheckActions(spec.Get("validationActions"), path.Child("validationActions"), errors);
}

std::vector<std::string> PolicyCells(const Object& o, VirtualTime now) {
  const Value& param = o.spec().Get("paramKind");
  return {cells::Name(o), std::to_string(o.spec().Get("validations").size()),
          param.is_null() ? "<unset>"
                          : fmt::format("{}/{}", param.Get("apiVersion").AsString(),
                                        param.Get("kind").AsString()),
          cells::Age(o, now)};
}

std::vector<std::string> PolicyBindingCells(const Object& o, VirtualTime now) {
  const Value& param = o.spec().Get("paramRef");
  const std::string_view name = param.Get("name").AsString();
  const std::string_view ns = param.Get("namespace").AsString();
  return {cells::Name(o), cells::Text(o.spec().Get("policyName")),
          name.empty() ? "<unset>" : fmt::format("{}/{}", ns.empty() ? "*" : ns, name),
          cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kValidatingAdmissionPolicyKind = {
    .group = "admissionregistration.k8s.io",
    .kind = "ValidatingAdmissionPolicy",
    .resource = "validatingadmissionpolicies",
    .served = &Profile::serves_admission_policies,
    .cached_from_start = false,
    .namespaced = false,
    .has_status = true,
    .has_generation = true,
    .unconditional_update = false,
    .patch_schema = &kStatusConditionsPatch,
    .columns = {{"Name"}, {"Validations"}, {"ParamKind"}, {"Age"}},
    .cells = PolicyCells,
    .defaults = DefaultPolicy,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckObject},
            .object = ValidatePolicy,
            .standard_finalizers = false,
        },
    .warnings_on_create = StaticNameWarnings,
    .warnings_on_update = [](const Value& updated, const Value&,
                             Compat compat) { return StaticNameWarnings(updated, compat); },
};

extern const KindSpec kValidatingAdmissionPolicyBindingKind = {
    .group = "admissionregistration.k8s.io",
    .kind = "ValidatingAdmissionPolicyBinding",
    .resource = "validatingadmissionpolicybindings",
    .served = &Profile::serves_admission_policies,
    .cached_from_start = false,
    .namespaced = false,
    .has_generation = true,
    .unconditional_update = false,
    .columns = {{"Name"}, {"PolicyName"}, {"ParamRef"}, {"Age"}},
    .cells = PolicyBindingCells,
    .defaults = DefaultPolicyBinding,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckObject},
            .object = ValidatePolicyBinding,
            .standard_finalizers = false,
        },
    .warnings_on_create = StaticNameWarnings,
    .warnings_on_update = [](const Value& updated, const Value&,
                             Compat compat) { return StaticNameWarnings(updated, compat); },
};

}  // namespace ksim::api
