// Split: a text at each of a separator.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ksim::guest {

// The parts, also empty ones; of an empty text none.
std::vector<std::string> Split(std::string_view text, char separator);
// Without the empty ones.
std::vector<std::string> SplitWords(std::string_view text, char separator);

}  // namespace ksim::guest
