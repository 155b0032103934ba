// The grammar of kubectl's jsonpath templates.
//
// Source: client-go util/jsonpath/{parser,node}.go. Errors carry upstream's texts.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ksim::value {

struct JsonPathNode {
  enum class Kind : std::uint8_t {
    kText,        // literal text, outside of braces or quoted
    kList,        // the nodes in a pair of braces; each takes the results of the one before
    kField,       // .name, ['name']
    kArray,       // [begin:end:step]
    kFilter,      // [?(left op right)]; nodes: two lists
    kInt,         // 3
    kFloat,       // 3.5
    kBool,        // true
    kWildcard,    // .*
    kRecursive,   // ..
    kUnion,       // [a,b]; nodes: a list each
    kIdentifier,  // range, end
  };
  struct Bound {
    std::int64_t value = 0;
    bool known = false;    // written down, or derived
    bool derived = false;  // the end of [i], which is i + 1
  };
  explicit JsonPathNode(Kind k, std::string t = "") : kind(k), text(std::move(t)) {}

  Kind kind;
  std::string text;  // the text, the field, the identifier, the operator ("exists" if none)
  std::int64_t number = 0;
  double fraction = 0;
  bool truth = false;
  std::array<Bound, 3> bounds;
  std::vector<JsonPathNode> nodes;
};

// InvalidArgument with upstream's text: "unclosed action", "invalid array index x", ...
absl::StatusOr<std::vector<JsonPathNode>> ParseJsonPath(std::string_view text);

}  // namespace ksim::value
