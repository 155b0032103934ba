// The kind VolumeAttributesClass of storage.k8s.io/v1.
//
// Sources: pkg/registry/storage/volumeattributesclass/strategy.go; pkg/apis/storage/validation/
// validation.go ValidateVolumeAttributesClass; pkg/printers/internalversion/printers.go
// printVolumeAttributesClass.
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/ascii_lower.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kAttributesClassTypes = R"(
VolumeAttributesClass: apiVersion=string driverName!=string kind=string metadata=ObjectMeta
   parameters={}string
)";

constexpr std::size_t kMostParameters = 512;
constexpr std::size_t kLongestParameters = 256 * 1024;  // names and values together

// validateParameters
void CheckParameters(const Value& parameters, FieldErrorList* errors) {
  const FieldPath path("parameters");
  if (parameters.size() > kMostParameters) return errors->TooLong(path, kMostParameters);
  std::size_t length = 0;
  for (const auto& [name, text] : parameters.members()) {
    if (name.text().empty()) errors->Invalid(path, "", "field can not be empty.");
    length += name.text().size() + text.AsString().size();
  }
  if (length > kLongestParameters) errors->TooLong(path, kLongestParameters);
  if (parameters.empty()) errors->Required(path, "must contain at least one key/value pair");
}

void ValidateClass(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("driverName");
  const std::string name = AsciiLower(tree.Get("driverName").AsString());
  if (name.empty()) {
    errors->Required(path);
  } else {
    errors->InvalidAll(path, name, QualifiedName(name, errors->compat()));
  }
  CheckParameters(tree.Get("parameters"), errors);
}

void CheckClassStays(const Value& updated, const Value& old, FieldErrorList* errors) {
  if (updated.Get("driverName") != old.Get("driverName"))
    errors->Forbidden(FieldPath("driverName"), "updates to driverName are forbidden.");
  if (updated.Get("parameters") != old.Get("parameters"))
    errors->Forbidden(FieldPath("parameters"), "updates to parameters are forbidden.");
}

std::vector<std::string> ClassCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), cells::Text(o.tree().Get("driverName")), cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kVolumeAttributesClassKind = {
    .group = "storage.k8s.io",
    .kind = "VolumeAttributesClass",
    .resource = "volumeattributesclasses",
    .short_names = {"vac"},
    .served = &Profile::serves_volume_attributes_classes,
    .cached_from_start = false,
    .namespaced = false,
    .go_types = kAttributesClassTypes,
    .columns = {{"Name"}, {"DriverName"}, {"Age"}},
    .cells = ClassCells,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckChange, kCheckMeta, kCheckObject},
            .object = ValidateClass,
            .change = CheckClassStays,
        },
};

}  // namespace ksim::api
