// The kinds MutatingAdmissionPolicy and MutatingAdmissionPolicyBinding of
// admissionregistration.k8s.io/v1. Their expressions are not evaluated, nor looked at.
//
// Source: pkg/apis/admissionregistration/v1/defaults.go; pkg/apis/admissionregistration/validation
// ValidateMutatingAdmissionPolicy; pkg/printers/internalversion/printers.go
// printMutatingAdmissionPolicy and its binding.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/kinds/admissionregistration/policies.h"
#include "ksim/api/kinds/admissionregistration/webhooks.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kMutatingPolicyTypes = R"(
ApplyConfiguration: expression=string
JSONPatch: expression=string
MatchCondition: expression!=string name!=string
MatchResources: excludeResourceRules=[]NamedRuleWithOperations matchPolicy=*s:MatchPolicyType
   namespaceSelector=*LabelSelector objectSelector=*LabelSelector
   resourceRules=[]NamedRuleWithOperations
MutatingAdmissionPolicy: apiVersion=string kind=string metadata=ObjectMeta
   spec=MutatingAdmissionPolicySpec
MutatingAdmissionPolicyBinding: apiVersion=string kind=string metadata=ObjectMeta
   spec=MutatingAdmissionPolicyBindingSpec
MutatingAdmissionPolicyBindingSpec: matchResources=*MatchResources paramRef=*ParamRef
   policyName=string
MutatingAdmissionPolicySpec: failurePolicy=*s:FailurePolicyType matchConditions=[]MatchCondition
   matchConstraints=*MatchResources mutations=[]Mutation paramKind=*ParamKind
   reinvocationPolicy=s:ReinvocationPolicyType variables=[]Variable
Mutation: applyConfiguration=*ApplyConfiguration jsonPatch=*JSONPatch patchType!=s:PatchType
NamedRuleWithOperations: apiGroups=[]string apiVersions=[]string operations=[]s:OperationType
   resourceNames=[]string resources=[]string scope=*s:ScopeType
ParamKind: apiVersion=string kind=string
ParamRef: name=string namespace=string
   parameterNotFoundAction=*s:ParameterNotFoundActionType selector=*LabelSelector
Variable: expression!=string name!=string
)";

constexpr value::PatchField kMutatingSpecPatchFields[] = {MergeList("matchConditions", "name")};
constexpr value::PatchSchema kMutatingSpecPatch{kMutatingSpecPatchFields};
constexpr value::PatchField kMutatingPatchFields[] = {Nested("metadata", &kMetaPatch),
                                                      Nested("spec", &kMutatingSpecPatch)};
constexpr value::PatchSchema kMutatingPatch{kMutatingPatchFields};

// A deletion cannot be changed on its way.
void CheckOperations(const Value& match, const FieldPath& path, FieldErrorList* errors) {
  const FieldPath rules = path.Child("resourceRules");
  for (const Value& rule : match.Get("resourceRules").items())
    for (const Value& op : rule.Get("operations").items())
      ValidateChoice(op.AsString(), false, rules.Child("operations"),
                     {"*", "CONNECT", "CREATE", "UPDATE"}, errors);
}

// validateMutation
void CheckMutation(const Value& mutation, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view type = mutation.Get("patchType").AsString();
  const FieldPath at = path.Child("patchType");
  if (type.empty()) return errors->Required(at);
  if (type != "JSONPatch" && type != "ApplyConfiguration")
    return errors->NotSupported(at, type, {"ApplyConfiguration", "JSONPatch"});
  const char* const fields[] = {"jsonPatch", "applyConfiguration"};
  const std::size_t own = type == "JSONPatch" ? 0 : 1;
  for (const std::size_t i : {own, 1 - own}) {
    const char* const field = fields[i];
    const Value& how = mutation.Get(field);
    const FieldPath place = path.Child(field);
    const bool wanted = i == own;
    if (!wanted && !how.is_null()) {
      errors->Invalid(place, fmt::format("{{{}}}", field),
                      fmt::format("must not be specified when patchType is {}", type));
    } else if (wanted && how.is_null()) {
      errors->Required(place, fmt::format("must be specified when patchType is {}", type));
    } else if (wanted) {
      const std::string expression(how.Get("expression").AsString());
      if (absl::StripAsciiWhitespace(expression).empty())
        errors->Required(place.Child("expression"));
    }
  }
}

void ValidateMutatingPolicy(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  ValidateChoice(spec.Get("failurePolicy").AsString(), true, path.Child("failurePolicy"),
                 {"Fail", "Ignore"}, errors);
  const FieldPath match = path.Child("matchConstraints");
  const Value& constraints = spec.Get("matchConstraints");
  if (constraints.is_null()) {
    errors->Required(match);
  } else {
    if (constraints.Get("resourceRules").empty()) errors->Required(match.Child("resourceRules"));
    CheckOperations(constraints, match, errors);
  }
  const Value& mutations = spec.Get("mutations");
  const FieldPath list = path.Child("mutations");
  if (mutations.empty()) errors->Required(list, "mutations must contain at least one item");
  for (std::size_t i = 0; i < mutations.size(); ++i)
    CheckMutation(mutations.at(i), list.Index(i), errors);
  ValidateChoice(spec.Get("reinvocationPolicy").AsString(), true, path.Child("reinvocationPolicy"),
                 {"IfNeeded", "Never"}, errors);
}

void ValidateMutatingBinding(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  CheckPolicyBinding(spec, path, errors);
  CheckOperations(spec.Get("matchResources"), path.Child("matchResources"), errors);
}

std::vector<std::string> MutatingPolicyCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), std::to_string(o.spec().Get("mutations").size()), ParamKindCell(o),
          cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kMutatingAdmissionPolicyKind = {
    .group = "admissionregistration.k8s.io",
    .kind = "MutatingAdmissionPolicy",
    .resource = "mutatingadmissionpolicies",
    .category = "api-extensions",
    .served = &Profile::serves_mutating_policies,
    .cached_from_start = false,
    .namespaced = false,
    .has_generation = true,
    .unconditional_update = false,
    .go_types = kMutatingPolicyTypes,
    .patch_schema = &kMutatingPatch,
    .columns = {{"Name"}, {"Mutations"}, {"ParamKind"}, {"Age"}},
    .cells = MutatingPolicyCells,
    .defaults = DefaultPolicy,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckObject},
            .object = ValidateMutatingPolicy,
            .standard_finalizers = false,
        },
    .warnings_on_create = StaticNameWarnings,
    .warnings_on_update = [](const Value& updated, const Value&,
                             Compat compat) { return StaticNameWarnings(updated, compat); },
};

extern const KindSpec kMutatingAdmissionPolicyBindingKind = {
    .group = "admissionregistration.k8s.io",
    .kind = "MutatingAdmissionPolicyBinding",
    .resource = "mutatingadmissionpolicybindings",
    .category = "api-extensions",
    .served = &Profile::serves_mutating_policies,
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
            .object = ValidateMutatingBinding,
            .standard_finalizers = false,
        },
    .warnings_on_create = StaticNameWarnings,
    .warnings_on_update = [](const Value& updated, const Value&,
                             Compat compat) { return StaticNameWarnings(updated, compat); },
};

}  // namespace ksim::api
