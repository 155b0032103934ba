// x-kubernetes-validations: the CEL rules of a custom resource's schema, compiled once and judged
// on each write.
//
//   RuleSet rules(schema_tree, true, RuleOptions::Kubernetes(30));
//   RuleResult r = rules.Validate({.object = now, .old = &before, .ratchets = true});
//
// Mistakes in the rules themselves are told when the definition is written: compiled.h and
// src/ksim/api/kinds/apiextensions/expression_rules.h.
//
// Upstream: apiextensions-apiserver pkg/apiserver/schema/cel/validation.go.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cel/environment.h"
#include "ksim/cel/rules/schema.h"

namespace ksim::cel {

// A field.Error in the making.
struct RuleError {
  enum class Type : std::uint8_t { kInvalid, kForbidden, kRequired, kDuplicate };
  Type type = Type::kInvalid;
  std::string path;        // spec.items[0].name; empty for the root
  bool has_value = false;  // false: the value is not shown
  value::Value bad_value;
  std::string detail;
};

struct RuleOptions {
  EnvironmentOptions environment = EnvironmentOptions::Kubernetes(36);  // of stored expressions
  EnvironmentOptions fresh_environment = EnvironmentOptions::Kubernetes(35);  // of new ones
  bool message_expressions = true;                                            // 1.27
  bool reasons = true;            // reason and fieldPath, 1.28
  bool optional_old_self = true;  // 1.30
  bool trims_messages = true;     // a message without the blanks around it, with the above
  bool shows_values = true;       // an error has its scalar, else the name of its type

  static RuleOptions Kubernetes(int minor);
};

struct RuleResult {
  std::vector<RuleError> errors;
  std::vector<RuleError> warnings;  // errors of what did not change: ratcheting
  std::int64_t remaining_budget = 0;
};

struct RuleRequest {
  const value::Value& object;
  const value::Value* old = nullptr;  // null: a creation
  bool ratchets = false;              // CRDValidationRatcheting
  std::string path = {};              // of the object; empty for a whole one
  std::int64_t budget = kRuntimeCostBudget;
};

class RuleSet {
 public:
  // `root`: the schema is that of a resource.
  RuleSet(const value::Value& schema, bool root, const RuleOptions& options);
  ~RuleSet();
  RuleSet(RuleSet&&) noexcept;

  bool empty() const;
  RuleResult Validate(const RuleRequest& request) const;

  struct Node;

 private:
  RuleOptions options_;
  SchemaPtr schema_;
  std::shared_ptr<const Node> root_;
};

// The field that a rule's fieldPath names, as a path below the rule's place: ".a['b.c']" is
// a.b.c; an empty text with the reason in `problem` if the schema has none such.
std::string FieldOfRule(std::string_view field_path, const Schema& schema, std::string* problem);

}  // namespace ksim::cel
