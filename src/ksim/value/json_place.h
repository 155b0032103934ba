// The place of a field in a JSON text, for messages about it.
#pragma once
#include <cstddef>
#include <string_view>

#include "ksim/value/value.h"

namespace ksim::value {

// Byte offsets; `end` is exclusive.
struct JsonPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The value at `path` (fields and indices) of a text that ParseJson takes. If the path leads
// nowhere, the last value that it reached; for the last step, `name_of` asks for the field's name
// instead.
JsonPlace FindInJson(std::string_view json, const Path& path, bool name_of = false);

}  // namespace ksim::value
