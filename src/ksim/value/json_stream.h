// JSON that YAML is not: several objects in a row, and characters beyond U+FFFF as two escapes.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ksim::value {

// The length of the JSON object at the beginning of `text`; npos if it does not end.
std::size_t JsonObjectLength(std::string_view text);

// Where the objects of a text begin that has nothing but blanks between them, as `jq -c` writes;
// only 0 for any other text.
std::vector<std::size_t> JsonObjectsIn(std::string_view text);

// A JSON text with "\ud83d\ude00" as "\U0001F600", which YAML can read. What stands behind such a
// string keeps its place: the string is followed by as many blanks as it is shorter.
std::string WithYamlEscapes(std::string_view json);

}  // namespace ksim::value
