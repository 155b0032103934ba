// FieldWarning: a row that says what a server tells of an object that has a certain field or
// annotation. Kinds whose warnings are such data have a table of them.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/profile.h"
#include "ksim/value/value.h"

namespace ksim::api {

struct FieldWarning {
  std::string_view field;                // of the spec, or the name of an annotation
  std::string_view text;                 // the whole warning
  const bool Profile::* gate = nullptr;  // the switch without which it is not given; null: always
};

// Adds the warnings of the rows whose field `object` has (null counts as none), in their order.
void WarnOfFields(const value::Value& object, std::span<const FieldWarning> rows,
                  const Profile& profile, std::vector<std::string>* warnings);

}  // namespace ksim::api
