// The kind CSIStorageCapacity of storage.k8s.io/v1.
//
// Source: pkg/apis/storage/validation/validation.go; pkg/printers/internalversion/printers.go
// printCSIStorageCapacity.
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/node_labels.h"
#include "ksim/value/quantity.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kCSIStorageCapacityTypes = R"(
CSIStorageCapacity: apiVersion=string capacity=*Quantity kind=string maximumVolumeSize=*Quantity
   metadata=ObjectMeta nodeTopology=*LabelSelector storageClassName!=string
)";

void ValidateCapacity(const Value& tree, FieldErrorList* errors) {
  ValidateLabelSelector(tree.Get("nodeTopology"), FieldPath("nodeTopology"), errors);
  const std::string_view name = tree.Get("storageClassName").AsString();
  errors->InvalidAll(FieldPath("storageClassName"), name, Dns1123Subdomain(name));
  const absl::StatusOr<value::Quantity> amount = value::Quantity::FromTree(tree.Get("capacity"));
  if (amount.ok() && amount->Sign() < 0)
    errors->Invalid(FieldPath("capacity"), amount->ToString(),
                    "must be greater than or equal to 0");
}

void ValidateCapacityUpdate(const Value& updated, const Value& old, FieldErrorList* errors) {
  if (updated.Get("nodeTopology") != old.Get("nodeTopology"))
    errors->Invalid(FieldPath("nodeTopology"), updated.Get("nodeTopology"), GoShape::kLabelSelector,
                    "field is immutable");
  const std::string_view name = updated.Get("storageClassName").AsString();
  if (name != old.Get("storageClassName").AsString())
    errors->Invalid(FieldPath("storageClassName"), name, "field is immutable");
}

std::vector<std::string> CapacityWarnings(const Value& tree, Compat compat) {
  std::vector<std::string> warnings;
  WarnOfLabelsInSelector(tree.Get("nodeTopology"), "nodeTopology", ProfileOf(compat), &warnings);
  return warnings;
}

std::vector<std::string> CapacityCells(const Object& o, VirtualTime) {
  const Value& amount = o.tree().Get("capacity");
  return {cells::Name(o), cells::Text(o.tree().Get("storageClassName")),
          amount.is_null() ? "<unset>" : cells::AmountText(amount)};
}

}  // namespace

extern const KindSpec kCSIStorageCapacityKind = {
    .group = "storage.k8s.io",
    .kind = "CSIStorageCapacity",
    .resource = "csistoragecapacities",
    .cached_from_start = false,
    .unconditional_update = false,
    .go_types = kCSIStorageCapacityTypes,
    .columns = {{"Name"}, {"StorageClassName"}, {"Capacity"}},
    .cells = CapacityCells,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckChange},
            .on_status_update = {},
            .object = ValidateCapacity,
            .change = ValidateCapacityUpdate,
        },
    .warnings_on_create = CapacityWarnings,
    .warnings_on_update = [](const Value& updated, const Value&,
                             Compat compat) { return CapacityWarnings(updated, compat); },
};

}  // namespace ksim::api
