// JSON in and out of Values. Output is canonical: sorted names, no spaces (or an indent), UTF-8 as
// it stands, the escapes \" \\ \n \r \t \b \f and \u00XX for other control characters.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/value/value.h"

namespace ksim::value {

std::string ToJson(const Value& v);
std::string ToPrettyJson(const Value& v, int indent = 4);  // as kubectl -o json prints
void AppendJson(const Value& v, std::string* out);
void AppendJsonString(std::string_view s, std::string* out);

// Strict RFC 8259: one document, no trailing text, no duplicate names, nesting at most 1000.
// InvalidArgument says "line L column C: what".
absl::StatusOr<Value> ParseJson(std::string_view text);
// As Go's decoder reads: of a name that is given twice the last counts, and its path is appended to
// `duplicates` (spec.containers[0].name).
absl::StatusOr<Value> ParseJsonAsGo(std::string_view text, std::vector<std::string>* duplicates);

}  // namespace ksim::value
