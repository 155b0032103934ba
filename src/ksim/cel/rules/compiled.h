// The nodes of a RuleSet: a schema's rules compiled, and those of what lies below it.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ksim/cel/rules/rules.h"

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

struct RuleSet::Node {
  SchemaPtr schema;
  std::vector<CompiledRule> rules;
  std::map<std::string, std::shared_ptr<const Node>, std::less<>> properties;
  std::shared_ptr<const Node> items, additional;
  std::vector<std::shared_ptr<const Node>> all_of;
};

// Null if nothing below has rules. Problems of the rules are noted with their paths.
std::shared_ptr<const RuleSet::Node> CompileNode(const SchemaPtr& schema,
                                                 const RuleOptions& options,
                                                 std::vector<RuleError>* problems);

}  // namespace ksim::cel
