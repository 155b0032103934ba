// The kind ConfigMap of v1.
//
// Source: pkg/apis/core/validation/validation.go ValidateConfigMap.
#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/kinds/core/data_keys.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kConfigMapTypes = R"(
ConfigMap: apiVersion=string binaryData={}bytes data={}string immutable=*bool kind=string
   metadata=ObjectMeta
)";

void ValidateConfigMap(const Value& tree, FieldErrorList* errors) {
  std::int64_t size = 0;
  CheckDataKeys(tree.Get("data"), "data", &tree.Get("binaryData"), &size, errors);
  CheckDataKeys(tree.Get("binaryData"), "binaryData", nullptr, &size, errors);
  if (size > kMaxDataSize) errors->TooLong(FieldPath(""), kMaxDataSize);
}

std::vector<std::string> ConfigMapCells(const Object& o, VirtualTime now) {
  const std::size_t n = o.tree().Get("data").size() + o.tree().Get("binaryData").size();
  return {cells::Name(o), std::to_string(n), cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kConfigMapKind = {
    .kind = "ConfigMap",
    .resource = "configmaps",
    .short_names = {"cm"},
    .go_types = kConfigMapTypes,
    .columns = {{"Name"}, {"Data"}, {"Age"}},
    .cells = ConfigMapCells,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckChange, kCheckMeta, kCheckObject},
            .on_status_update = {},
            .object = ValidateConfigMap,
            .change = ValidateImmutableData,
        },
};

}  // namespace ksim::api
