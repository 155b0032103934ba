#include "ksim/api/rules/field_warnings.h"

namespace ksim::api {

void WarnOfFields(const value::Value& object, std::span<const FieldWarning> rows,
                  const Profile& profile, std::vector<std::string>* warnings) {
  if (object.empty()) return;
  for (const FieldWarning& row : rows) {
    const bool given = row.gate == nullptr || profile.*row.gate;
    if (given && !object.Get(row.field).is_null()) warnings->emplace_back(row.text);
  }
}

}  // namespace ksim::api
