// RuleCompiler: the rules of one node of a schema, compiled and estimated.
//
// Upstream: apiextensions-apiserver pkg/apiserver/schema/cel/compilation.go Compile.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cel/environment.h"
#include "ksim/cel/rules/rules.h"
#include "ksim/cel/rules/schema.h"

namespace ksim::cel {

struct CompiledRule {
  Rule rule;
  std::optional<Program> program;  // none and no error: the rule is empty
  std::string error;
  bool uses_old_self = false;
  std::uint64_t max_cost = 0;
  std::optional<Program> message;
  std::string message_error;
  std::uint64_t message_max_cost = 0;
  std::string field;  // of fieldPath, below the place of the rule
};

struct NodeRules {
  std::vector<CompiledRule> rules;
  bool declared = true;               // false: the schema has no type in CEL, nothing is compiled
  std::uint64_t max_cardinality = 0;  // how often the place fits into a request
};

// The expressions of a definition's old state, which may use what is no longer, or not yet, for
// new ones.
struct KnownExpressions {
  std::set<std::string, std::less<>> rules, messages;
};

class RuleCompiler {
 public:
  explicit RuleCompiler(const RuleOptions& options);
  // `known` null: every expression is a stored one.
  NodeRules Compile(const Schema& schema, const KnownExpressions* known) const;

 private:
  RuleOptions options_;
  Environment stored_, fresh_;
};

}  // namespace ksim::cel
