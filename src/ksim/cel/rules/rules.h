// x-kubernetes-validations: the CEL rules of a custom resource's schema, compiled once and judged
// on each write.
//
//   RuleSet rules(schema_tree, options);
//   for (const SchemaProblem& p : rules.problems()) ...   // when the definition is written
//   RuleResult r = rules.Validate(new_object, old_object);  // when an object is
//
// Upstream: apiextensions-apiserver pkg/apiserver/schema/cel/{compilation,validation}.go,
// pkg/apis/apiextensions/validation/validation.go, apiserver pkg/cel/common/equality.go.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ksim/cel/environment.h"
#include "ksim/cel/rules/schema.h"

namespace ksim::cel {

// A field.Error in the making.
struct RuleError {
  enum class Type : std::uint8_t { kInvalid, kForbidden, kRequired, kDuplicate, kInternal };
  Type type = Type::kInvalid;
  std::string path;  // spec.items[0].name; empty for the root
  bool has_value = false;
  value::Value bad_value;
  std::string detail;
};

struct RuleOptions {
  EnvironmentOptions environment = EnvironmentOptions::Kubernetes(36);
  bool message_expressions = true;  // 1.27
  bool reasons = true;              // reason and fieldPath, 1.28
  bool optional_old_self = true;    // CRDValidationRatcheting, 1.30
  bool ratcheting = true;

  static RuleOptions Kubernetes(int minor);
};

struct RuleResult {
  std::vector<RuleError> errors;
  std::vector<RuleError> warnings;  // errors of what did not change: ratcheting
  std::int64_t remaining_budget = 0;
};

class RuleSet {
 public:
  RuleSet(const value::Value& schema, const RuleOptions& options);
  ~RuleSet();
  RuleSet(RuleSet&&) noexcept;

  bool empty() const;
  // The errors in the rules themselves, at paths below openAPIV3Schema.
  const std::vector<RuleError>& problems() const { return problems_; }
  // `old_object` null: a creation. The budget is that of the whole object.
  RuleResult Validate(const value::Value& object, const value::Value& old_object,
                      std::int64_t budget = kRuntimeCostBudget) const;

  struct Node;

 private:
  std::shared_ptr<const Node> root_;
  RuleOptions options_;
  std::vector<RuleError> problems_;
};

// The field that a rule's fieldPath names, as a path below the rule's place: ".a['b.c']" is
// a.b.c; an empty text with the reason in `problem` if the schema has none such.
std::string FieldOfRule(std::string_view field_path, const Schema& schema, std::string* problem);

}  // namespace ksim::cel
