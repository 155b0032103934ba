// GoJsonProblem: why Go's encoding/json cannot read a text, in its words. The answer to a body that
// is no JSON quotes it.
//
// Source: encoding/json scanner.go.
#pragma once
#include <string>
#include <string_view>

namespace ksim::value {

// "" for a text that is one JSON value.
std::string GoJsonProblem(std::string_view text);

}  // namespace ksim::value
