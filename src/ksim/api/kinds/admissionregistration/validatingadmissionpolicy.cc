// The kinds ValidatingAdmissionPolicy and ValidatingAdmissionPolicyBinding of
// admissionregistration.k8s.io/v1.
//
// Source: pkg/apis/admissionregistration/v1/defaults.go; pkg/apis/admissionregistration/validation;
// pkg/printers/internalversion/printers.go printValidatingAdmissionPolicy and its binding.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/kinds/admissionregistration/policies.h"
#include "ksim/api/kinds/admissionregistration/policy_expressions.h"
#include "ksim/api/kinds/admissionregistration/webhooks.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/text.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

// validateValidatingAdmissionPolicySpec; `old_spec` null: a new policy.
void CheckPolicy(const Value& tree, const Value& old_spec, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  ValidateChoice(spec.Get("failurePolicy").AsString(), true, path.Child("failurePolicy"),
                 {"Fail", "Ignore"}, errors);
  CheckParamKind(spec.Get("paramKind"), path.Child("paramKind"), errors);
  const FieldPath match = path.Child("matchConstraints");
  if (spec.Get("matchConstraints").is_null()) {
    errors->Required(match);
  } else {
    CheckMatchResources(spec.Get("matchConstraints"), match, errors);
    if (spec.Get("matchConstraints").Get("resourceRules").empty())
      errors->Required(match.Child("resourceRules"));
  }
  CheckPolicyExpressions(tree, old_spec, path, errors);
}

void ValidatePolicy(const Value& tree, FieldErrorList* errors) {
  CheckPolicy(tree, Value(), errors);
}

void ValidatePolicyUpdate(const Value& updated, const Value& old, FieldErrorList* errors) {
  const Value& old_spec = old.Get(Fields().spec);
  // A spec that did not change is not looked at again.
  if (!updated.Get(Fields().spec).SameTree(old_spec)) CheckPolicy(updated, old_spec, errors);
}

void RefuseDenyAndWarn(const Value& actions, const FieldPath& path, FieldErrorList* errors) {
  constexpr std::string_view kWhy =
      "must not contain both Deny and Warn (repeating the same validation failure information in "
      "the API response and headers serves no purpose)";
  if (errors->profile().bad_values_as_json)
    return errors->Invalid(path, actions, GoShape::kOther, kWhy);
  std::vector<std::string> shown;
  for (const Value& action : actions.items()) shown.push_back(value::GoQuote(action.AsString()));
  errors->Add("FieldValueInvalid",
              fmt::format("Invalid value: []admissionregistration.ValidationAction{{{}}}: {}",
                          fmt::join(shown, ", "), kWhy),
              path.ToString());
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
  if (seen.contains("Deny") && seen.contains("Warn")) RefuseDenyAndWarn(actions, path, errors);
  if (seen.empty()) errors->Required(path, "at least one validation action is required");
}

void ValidatePolicyBinding(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  CheckPolicyBinding(spec, path, errors);
  CheckActions(spec.Get("validationActions"), path.Child("validationActions"), errors);
}

std::vector<std::string> PolicyCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), std::to_string(o.spec().Get("validations").size()), ParamKindCell(o),
          cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kValidatingAdmissionPolicyKind = {
    .group = "admissionregistration.k8s.io",
    .kind = "ValidatingAdmissionPolicy",
    .resource = "validatingadmissionpolicies",
    .category = "api-extensions",
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
            .on_update = {kCheckMetaUpdate, kCheckChange},
            .object = ValidatePolicy,
            .change = ValidatePolicyUpdate,
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
    .category = "api-extensions",
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
