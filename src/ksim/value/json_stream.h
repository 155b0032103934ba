// The two forms of JSON that no YAML reader takes: several objects in a row, and characters beyond
// U+FFFF as two escapes.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ksim::value {

// The length of the JSON object at the beginning of `text`; npos if it does not end.
std::size_t JsonObjectLength(std::string_view text);

// The offsets at which the objects of a text begin, if only blanks stand between them, as `jq -c`
// writes; only 0 for any other text.
std::vector<std::size_t> JsonObjectsIn(std::string_view text);

// A JSON text with "\ud83d\ude00" as "\U0001F600", which YAML can read. The text
// behind such a string keeps its place: as many blanks follow the string as it is shorter.
std::string WithYamlEscapes(std::string_view json);

}  // namespace ksim::value
