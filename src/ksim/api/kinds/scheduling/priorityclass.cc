// The kind PriorityClass of scheduling.k8s.io/v1.
//
// Source: pkg/apis/scheduling/validation, pkg/registry/scheduling/priorityclass/strategy.go.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kPriorityClassTypes = R"(
PriorityClass: apiVersion=string description=string globalDefault=bool kind=string
   metadata=ObjectMeta preemptionPolicy=*s:PreemptionPolicy value!=int32
)";

Value DefaultPriorityClass(const Value& tree, Compat) {
  return WithDefault(tree, Fields().preemption_policy, Value::Of("PreemptLowerPriority"));
}

constexpr std::int64_t kHighestUserPriority = 1'000'000'000;

void ValidatePriorityClass(const Value& tree, FieldErrorList* errors) {
  const std::string_view name = tree.Get("metadata").Get("name").AsString();
  const bool system = name == "system-cluster-critical" || name == "system-node-critical";
  const FieldPath metadata("metadata");
  if (name.starts_with("system-") && !system) {
    errors->Forbidden(metadata.Child("name"),
                      fmt::format("priority class names with 'system-' prefix are reserved for "
                                  "system use only. error: {} is not a known system priority class",
                                  name));
  } else if (!system && tree.Get("value").AsInt() > kHighestUserPriority) {
    errors->Forbidden(FieldPath("value"),
                      fmt::format("maximum allowed value of a user defined priority is {}",
                                  kHighestUserPriority));
  }
  const std::string_view policy = tree.Get("preemptionPolicy").AsString();
  if (policy.empty()) {
    errors->Required(FieldPath("preemptionPolicy"));
  } else if (policy != "PreemptLowerPriority" && policy != "Never") {
    errors->NotSupported(FieldPath("preemptionPolicy"), policy, {"PreemptLowerPriority", "Never"});
  }
}

void ValidatePriorityClassUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  if (tree.Get("value").AsInt() != old.Get("value").AsInt()) {
    errors->Forbidden(FieldPath("value"), "may not be changed in an update.");
  }
  ValidateImmutable(tree.Get("preemptionPolicy"), old.Get("preemptionPolicy"), GoShape::kOther,
                    FieldPath("preemptionPolicy"), errors);
}

std::vector<std::string> PriorityClassCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), cells::Count(o.tree().Get("value")),
          o.tree().Get("globalDefault").AsBool() ? "true" : "false", cells::Age(o, now),
          cells::Text(o.tree().Get("preemptionPolicy"))};
}

}  // namespace

extern const KindSpec kPriorityClassKind = {
    .group = "scheduling.k8s.io",
    .kind = "PriorityClass",
    .resource = "priorityclasses",
    .short_names = {"pc"},
    .namespaced = false,
    .has_generation = true,
    .generation_stays = true,
    .go_types = kPriorityClassTypes,
    .columns = {{"Name"}, {"Value"}, {"Global-Default"}, {"Age"}, {"PreemptionPolicy"}},
    .cells = PriorityClassCells,
    .defaults = DefaultPriorityClass,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckChange},
            .on_status_update = {},
            .object = ValidatePriorityClass,
            .change = ValidatePriorityClassUpdate,
        },
};

}  // namespace ksim::api
