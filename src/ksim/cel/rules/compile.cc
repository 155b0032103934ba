// Part of compiled.h.
#include <utility>

#include "ksim/base/status.h"
#include "ksim/cel/rules/compiled.h"
#include "ksim/value/text.h"

namespace ksim::cel {
namespace {

constexpr std::int64_t kMaxRequestBytes = 3 * 1024 * 1024;
// Upstream's name for the type of self ends in nanoseconds of the clock.
constexpr char kSelfType[] = "selfType";

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

// The size of what a path below self leads to.
SizeEstimator SizesOf(const DeclaredPtr& self) {
  return [self](const std::vector<std::string>& path) -> std::optional<CostRange> {
    if (path.empty()) return std::nullopt;
    const Declared* at = self.get();
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (path[i] == "@items" || path[i] == "@values") {
        at = at->element.get();
      } else if (path[i] == "@keys") {
        at = at->key.get();
      } else {
        const auto found = at->fields.find(path[i]);
        at = found == at->fields.end() ? nullptr : found->second.get();
      }
      if (at == nullptr) return std::nullopt;
    }
    return CostRange{0, static_cast<std::uint64_t>(at->max_elements)};
  };
}

// The environments of a node's rules: with self and, as it is or optional, oldSelf.
class NodeEnvironments {
 public:
  NodeEnvironments(const RuleOptions& options, const Environment& stored, const Environment& fresh,
                   const KnownExpressions* known, DeclaredPtr self)
      : options_(options), stored_(stored), fresh_(fresh), known_(known), self_(std::move(self)) {}

  CompiledRule Compile(const Rule& rule, const Schema& schema) const {
    CompiledRule compiled;
    compiled.rule = rule;
    if (IsBlank(rule.rule)) return compiled;
    const bool stored = known_ == nullptr || known_->rules.contains(rule.rule);
    const Environment env = EnvironmentFor(rule, stored);
    absl::StatusOr<Program> program = env.Compile(rule.rule);
    if (!program.ok()) {
      const bool starting = absl::IsFailedPrecondition(program.status());
      compiled.error = (starting ? "program instantiation failed: " : "compilation failed: ") +
                       std::string(Message(program.status()));
      return compiled;
    }
    if (program->type()->kind != TypeKind::kBool) {
      compiled.error = "cel expression must evaluate to a bool";
      return compiled;
    }
    compiled.uses_old_self = program->Uses("oldSelf");
    compiled.max_cost = program->EstimateCost(SizesOf(self_)).max;
    compiled.program = *std::move(program);
    if (options_.message_expressions && !rule.message_expression.empty()) {
      CompileMessage(&compiled);
      if (!compiled.message_error.empty()) return compiled;
    }
    if (options_.reasons && !rule.field_path.empty()) {
      std::string problem;
      compiled.field = FieldOfRule(rule.field_path, schema.Own(), &problem);
    }
    return compiled;
  }

 private:
  Environment EnvironmentFor(const Rule& rule, bool stored) const {
    Environment env = stored ? stored_ : fresh_;
    env.DeclareVariable("self", self_->type);
    const bool optional = options_.optional_old_self && rule.optional_old_self.value_or(false);
    env.DeclareVariable("oldSelf", optional ? OptionalOf(self_->type) : self_->type);
    env.SetFieldTypes([self = self_](std::string_view type, std::string_view field) {
      return self->FieldType(type, field);
    });
    return env;
  }

  void CompileMessage(CompiledRule* compiled) const {
    const std::string& text = compiled->rule.message_expression;
    const bool stored = known_ == nullptr || known_->messages.contains(text);
    absl::StatusOr<Program> program = EnvironmentFor(compiled->rule, stored).Compile(text);
    if (!program.ok()) {
      const bool starting = absl::IsFailedPrecondition(program.status());
      compiled->message_error = std::string("messageExpression ") +
                                (starting ? "instantiation failed: " : "compilation failed: ") +
                                std::string(Message(program.status()));
      return;
    }
    if (program->type()->kind != TypeKind::kString) {
      compiled->message_error = "messageExpression must evaluate to a string";
      return;
    }
    compiled->message_max_cost = program->EstimateCost(SizesOf(self_)).max;
    compiled->message = *std::move(program);
  }

  const RuleOptions& options_;
  const Environment& stored_;
  const Environment& fresh_;
  const KnownExpressions* known_;
  DeclaredPtr self_;
};

}  // namespace

RuleCompiler::RuleCompiler(const RuleOptions& options)
    : options_(options), stored_(options.environment), fresh_(options.fresh_environment) {}

NodeRules RuleCompiler::Compile(const Schema& schema, const KnownExpressions* known) const {
  NodeRules node;
  const DeclaredPtr self = Declared::Of(schema, kSelfType);
  node.declared = self != nullptr;
  if (!node.declared) return node;
  node.max_cardinality = static_cast<std::uint64_t>(kMaxRequestBytes / (self->min_size + 1));
  const NodeEnvironments environments(options_, stored_, fresh_, known, self);
  for (const Rule& rule : schema.rules) node.rules.push_back(environments.Compile(rule, schema));
  return node;
}

}  // namespace ksim::cel
