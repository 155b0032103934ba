// Macros: has, all, exists, exists_one, map, filter; optMap and optFlatMap; cel.bind; sortBy; and
// those with two variables.
//
// Upstream: cel-go parser/macro.go, cel/library.go, ext/{bindings,comprehensions,lists}.go.
#pragma once
#include <string>
#include <vector>

#include "ksim/cel/syntax/builder.h"
#include "ksim/cel/syntax/parser.h"

namespace ksim::cel {

struct MacroError {
  std::int64_t id = 0;
  std::string message;
};

// Expands a call if it is one of a macro; `target` and `args` are used up then. Null and no message
// in `error`: it is no macro.
ExprPtr ExpandMacro(const ParserOptions& options, const std::string& function, ExprPtr* target,
                    std::vector<ExprPtr>* args, TreeBuilder* builder, MacroError* error);

}  // namespace ksim::cel
