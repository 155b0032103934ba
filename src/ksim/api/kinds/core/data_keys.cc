#include "ksim/api/kinds/core/data_keys.h"

#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

void CheckDataKeys(const Value& data, std::string_view field, const Value* other,
                   std::int64_t* size, FieldErrorList* errors) {
  const FieldPath path(field);
  for (const Value::Member& m : data.members()) {
    const std::string_view key = m.name.text();
    errors->InvalidAll(path.Key(key), key, ConfigMapKey(key));
    if (other != nullptr && other->Has(key)) {
      errors->Invalid(path.Key(key), key, "duplicate of key present in binaryData");
    }
    *size += static_cast<std::int64_t>(m.value.AsString().size());
  }
}

void ValidateImmutableData(const Value& tree, const Value& old, FieldErrorList* errors) {
  if (!old.Get("immutable").AsBool()) return;
  constexpr std::string_view kWhy = "field is immutable when `immutable` is set";
  if (!tree.Get("immutable").AsBool()) errors->Forbidden(FieldPath("immutable"), kWhy);
  for (const char* field : {"data", "binaryData"}) {
    if (tree.Get(field) != old.Get(field)) errors->Forbidden(FieldPath(field), kWhy);
  }
}

}  // namespace ksim::api
