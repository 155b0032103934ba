// The kind PodDisruptionBudget of policy/v1.
//
// Source: pkg/apis/policy/validation.
#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/workload_checks.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kPodDisruptionBudgetTypes = R"(
PodDisruptionBudget: apiVersion=string kind=string metadata=ObjectMeta
   spec=PodDisruptionBudgetSpec status=PodDisruptionBudgetStatus
PodDisruptionBudgetSpec: maxUnavailable=*IntOrString minAvailable=*IntOrString
   selector=*LabelSelector unhealthyPodEvictionPolicy=*s:UnhealthyPodEvictionPolicyType
PodDisruptionBudgetStatus: conditions=[]Condition currentHealthy!=int32 desiredHealthy!=int32
   disruptedPods={}Time disruptionsAllowed!=int32 expectedPods!=int32 observedGeneration=int64
)";

void ValidateDisruptionBudget(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get("spec");
  if (!spec.Get("minAvailable").is_null() && !spec.Get("maxUnavailable").is_null()) {
    errors->Invalid(path, spec, GoShape::kOther,
                    "minAvailable and maxUnavailable cannot be both set");
  }
  for (const char* field : {"minAvailable", "maxUnavailable"}) {
    if (spec.Get(field).is_null()) continue;
    CheckIntOrPercent(spec.Get(field), path.Child(field), errors);
    CheckAtMost100Percent(spec.Get(field), path.Child(field), errors);
  }
  ValidateLabelSelector(spec.Get("selector"), path.Child("selector"), errors);
  const Value& policy = spec.Get("unhealthyPodEvictionPolicy");
  if (policy.is_string() && policy.AsString() != "IfHealthyBudget" &&
      policy.AsString() != "AlwaysAllow") {
    errors->NotSupported(path.Child("unhealthyPodEvictionPolicy"), policy.AsString(),
                         {"AlwaysAllow", "IfHealthyBudget"});
  }
}

// ValidatePodDisruptionBudgetStatusUpdate.
void ValidateBudgetStatus(const Value& tree, FieldErrorList* errors) {
  static const value::Atom kAllowed{"disruptionsAllowed"}, kCurrent{"currentHealthy"},
      kDesired{"desiredHealthy"}, kExpected{"expectedPods"};
  NonNegativeFields(tree.Get("status"), {kAllowed, kCurrent, kDesired, kExpected},
                    FieldPath("status"), errors);
}

std::string IntOrStringText(const Value& v) {
  if (v.is_int()) return std::to_string(v.AsInt());
  return v.is_string() ? cells::Text(v) : "N/A";
}

std::vector<std::string> BudgetCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), IntOrStringText(o.spec().Get("minAvailable")),
          IntOrStringText(o.spec().Get("maxUnavailable")),
          cells::Count(o.status().Get("disruptionsAllowed")), cells::Age(o, now)};
}

constexpr value::PatchField kDisruptionBudgetSpecPatchFields[] = {
    {.name = "selector", .replace = true}};
constexpr value::PatchSchema kDisruptionBudgetSpecPatch{kDisruptionBudgetSpecPatchFields};
constexpr value::PatchField kDisruptionBudgetPatchFields[] = {
    Nested("metadata", &kMetaPatch), Nested("spec", &kDisruptionBudgetSpecPatch),
    Nested("status", &kConditionsPatch)};
constexpr value::PatchSchema kDisruptionBudgetPatch{kDisruptionBudgetPatchFields};

}  // namespace

extern const KindSpec kPodDisruptionBudgetKind = {
    .group = "policy",
    .kind = "PodDisruptionBudget",
    .resource = "poddisruptionbudgets",
    .short_names = {"pdb"},
    .has_status = true,
    .has_generation = true,
    .unconditional_update = false,
    .go_types = kPodDisruptionBudgetTypes,
    .patch_schema = &kDisruptionBudgetPatch,
    .columns = {{"Name"}, {"Min Available"}, {"Max Unavailable"}, {"Allowed Disruptions"}, {"Age"}},
    .cells = BudgetCells,
    .validation =
        {
            .on_create = {kCheckObject},
            .on_update = {kCheckObject},
            .on_status_update = {kCheckStatus},
            .object = ValidateDisruptionBudget,
            .status = ValidateBudgetStatus,
        },
};

}  // namespace ksim::api
