// JqNode: a part of a parsed jq expression. For jq*.cc alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/value/value.h"

namespace ksim::kubelet {

struct JqNode {
  enum class Kind : std::uint8_t {
    kIdentity,     // .
    kField,        // first.text
    kIndex,        // first[second]
    kIterate,      // first[]
    kTry,          // first?
    kLiteral,      // literal
    kArray,        // [first], [] without
    kPipe,         // first | second
    kComma,        // first, second
    kAlternative,  // first // second
    kOr,
    kAnd,
    kCompare,  // first text second: == != < <= > >=
    kCall,     // text(arguments)
  };
  JqNode() = default;
  explicit JqNode(Kind k) : kind(k) {}
  Kind kind = Kind::kIdentity;
  std::string text;
  value::Value literal;
  std::vector<std::shared_ptr<const JqNode>> children;
  const JqNode& first() const { return *children[0]; }
  const JqNode& second() const { return *children[1]; }
};

struct JqFunction {
  std::string_view name;
  int fewest, most;  // arguments
};
// Null for a function that is not read here.
const JqFunction* FindJqFunction(std::string_view name);
std::vector<std::string_view> JqFunctionNames();

}  // namespace ksim::kubelet
