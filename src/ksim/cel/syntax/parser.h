// Parser of CEL with its macros. It is linear in the text, and refuses what nests deeper or is
// longer than cel-go admits.
//
// Upstream: cel-go parser/parser.go, macro.go.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/cel/syntax/ast.h"
#include "ksim/cel/syntax/source.h"

namespace ksim::cel {

struct ParserOptions {
  bool optional_syntax = true;       // a.?b, [?i], {?k: v}
  bool two_variable_macros = true;   // all(i, v, ...), transformList, ...
  bool sort_by_macro = true;         // sortBy
  bool bind_macro = true;            // cel.bind
  bool exists_one_alias = true;      // existsOne
  bool escaped_identifiers = false;  // a.`b-c`
};

inline constexpr std::size_t kMaxCodePoints = 100'000;
inline constexpr int kMaxDepth = 250;
// Nodes of the tree. cel-go has no such limit; a chain of optMap doubles its target each time.
inline constexpr std::int64_t kMaxNodes = 300'000;

// The tree; without a root if there are errors.
Ast Parse(const Source& source, const ParserOptions& options, std::vector<SourceError>* errors);

}  // namespace ksim::cel
