// Columns as the caller names them: -o custom-columns=NAME:.metadata.name,IMAGE:.spec.x[*].image
//
// Source: kubectl pkg/cmd/get/customcolumn.go.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/value/jsonpath.h"

namespace ksim::kubectl {

struct CustomColumn {
  std::string header;
  value::JsonPath path;
};

// A path as kubectl takes it outside of templates, made one: a.b, .a.b, {a.b} and {.a.b} are all
// {.a.b} (RelaxedJSONPathExpression). InvalidArgument for what has other braces.
absl::StatusOr<std::string> RelaxedPath(std::string_view text);

// HEADER:PATH[,HEADER:PATH]. InvalidArgument with kubectl's text.
absl::StatusOr<std::vector<CustomColumn>> ParseCustomColumns(std::string_view spec);
// A file of two lines: the headers, and below each its path.
absl::StatusOr<std::vector<CustomColumn>> ParseCustomColumnsFile(std::string_view text);

// The table; <none> where a path finds nothing. InvalidArgument for a path that does not fit.
absl::StatusOr<std::string> RenderCustomColumns(const std::vector<CustomColumn>& columns,
                                                const std::vector<value::Value>& objects,
                                                bool no_headers);

}  // namespace ksim::kubectl
