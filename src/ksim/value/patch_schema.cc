#include "ksim/value/patch_schema.h"

#include <algorithm>

namespace ksim::value {

const PatchField& PatchSchema::Field(const PatchSchema* type, std::string_view name) {
  static constexpr PatchField kPlain{};
  if (type == nullptr) return kPlain;
  const auto it = std::find_if(type->fields.begin(), type->fields.end(),
                               [name](const PatchField& f) { return f.name == name; });
  return it == type->fields.end() ? kPlain : *it;
}

}  // namespace ksim::value
