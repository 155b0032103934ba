// The reason why Go's time.Parse does not read a text, in its words.
//
// Source: src/time/format.go parse, newParseError, ParseError.Error, quote.
#pragma once
#include <string>
#include <string_view>

namespace ksim::api {

// For metav1.Time (RFC3339) or, with `micro`, metav1.MicroTime (RFC3339Micro): parsing time "x" as
// "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006". Empty if Go reads it.
std::string GoTimeProblem(std::string_view text, bool micro);

}  // namespace ksim::api
