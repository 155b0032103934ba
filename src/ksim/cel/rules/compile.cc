// Compiling the rules of a schema, of compiled.h.
#include <algorithm>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/cel/rules/compiled.h"
#include "ksim/cel/values/go_text.h"

namespace ksim::cel {
namespace {

constexpr std::uint64_t kStaticLimit = 10'000'000;         // StaticEstimatedCostLimit
constexpr std::uint64_t kStaticSchemaLimit = 100'000'000;  // StaticEstimatedCRDCostLimit
constexpr std::int64_t kMaxRequestBytes = 3 * 1024 * 1024;
// Upstream's name for the type of self ends in nanoseconds of the clock.
constexpr char kSelfType[] = "selfType";

std::string TrimSpace(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

std::string Child(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

std::string CostMessage(const std::string& name, std::uint64_t cost, std::uint64_t limit) {
  const double exceeds = static_cast<double>(cost) / static_cast<double>(limit);
  std::string factor = DoubleFixed(exceeds, exceeds < 1.5 ? 6 : 1) + "x";
  if (exceeds > 100.0) factor = "more than 100x";
  return name + " exceeds budget by factor of " + factor +
         " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where "
         "arrays, maps, and strings are declared)";
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

class SchemaCompiler {
 public:
  SchemaCompiler(const RuleOptions& options, std::vector<RuleError>* problems)
      : options_(options), problems_(problems) {}

  // A node of the spine, and what validates it: the same, or a part of its allOf.
  std::shared_ptr<const RuleSet::Node> Make(const SchemaPtr& rules, const SchemaPtr& spine,
                                            const std::string& path,
                                            std::optional<std::uint64_t> cardinality,
                                            const std::string& uncorrelatable) {
    if (!rules->HasRules()) return nullptr;
    auto node = std::make_shared<RuleSet::Node>();
    node->schema = spine;
    CompileRules(*rules, *spine, path, cardinality, uncorrelatable, node.get());
    if (rules->items != nullptr && spine->items != nullptr) {
      const std::string below =
          spine->list_type == "map" || !uncorrelatable.empty() ? uncorrelatable : Items(path);
      node->items = Make(rules->items, spine->items, Child(path, "items"),
                         Times(cardinality, spine->max_items), below);
    }
    if (rules->additional != nullptr && spine->additional != nullptr) {
      node->additional =
          Make(rules->additional, spine->additional, Child(path, "additionalProperties"),
               Times(cardinality, spine->max_properties), uncorrelatable);
    }
    for (const auto& [name, property] : rules->properties) {
      const auto twin = spine->properties.find(name);
      if (twin == spine->properties.end()) continue;
      auto below = Make(property, twin->second, Child(path, "properties[" + name + "]"),
                        cardinality, uncorrelatable);
      if (below != nullptr) node->properties[name] = std::move(below);
    }
    for (std::size_t i = 0; i < rules->all_of.size(); ++i) {
      auto below = Make(rules->all_of[i], spine, Child(path, "allOf[" + std::to_string(i) + "]"),
                        cardinality, uncorrelatable);
      if (below != nullptr) node->all_of.push_back(std::move(below));
    }
    return node;
  }

  void CheckTotal() {
    if (total_ <= kStaticSchemaLimit) return;
    std::stable_sort(expensive_.begin(), expensive_.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < expensive_.size() && i < 4; ++i) {
      Add(RuleError::Type::kForbidden, expensive_[i].second,
          "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 "
          "schema");
    }
    Add(RuleError::Type::kForbidden, "",
        CostMessage("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 "
                    "schema",
                    total_, kStaticSchemaLimit));
  }

 private:
  static std::string Items(const std::string& path) { return Child(path, "items"); }

  static std::optional<std::uint64_t> Times(std::optional<std::uint64_t> cardinality,
                                            std::optional<std::int64_t> most) {
    if (!cardinality.has_value() || !most.has_value()) return std::nullopt;
    return (CostRange::Fixed(*cardinality) *
            CostRange::Fixed(static_cast<std::uint64_t>(std::max<std::int64_t>(*most, 0))))
        .max;
  }

  void Add(RuleError::Type type, std::string path, std::string detail,
           std::optional<value::Value> bad = std::nullopt) {
    RuleError error;
    error.type = type;
    error.path = std::move(path);
    error.detail = std::move(detail);
    error.has_value = bad.has_value();
    if (bad.has_value()) error.bad_value = *std::move(bad);
    problems_->push_back(std::move(error));
  }

  void Observe(const std::string& path, std::uint64_t cost) {
    total_ = (CostRange::Fixed(total_) + CostRange::Fixed(cost)).max;
    if (cost > 0) expensive_.emplace_back(cost, path);
  }

  void CompileRules(const Schema& rules, const Schema& spine, const std::string& path,
                    std::optional<std::uint64_t> cardinality, const std::string& uncorrelatable,
                    RuleSet::Node* node) {
    if (rules.rules.empty()) return;
    const DeclaredPtr self = Declared::Of(spine, kSelfType);
    for (std::size_t i = 0; i < rules.rules.size(); ++i) {
      const std::string place = Child(path, "x-kubernetes-validations[" + std::to_string(i) + "]");
      CompiledRule compiled = CompileRule(rules.rules[i], spine, self);
      const std::uint64_t most = static_cast<std::uint64_t>(
          kMaxRequestBytes / ((self == nullptr ? 0 : self->min_size) + 1));
      const std::uint64_t cost =
          (CostRange::Fixed(compiled.max_cost) * CostRange::Fixed(cardinality.value_or(most))).max;
      Report(compiled, place, cost, uncorrelatable);
      node->rules.push_back(std::move(compiled));
    }
  }

  void Report(const CompiledRule& compiled, const std::string& place, std::uint64_t cost,
              const std::string& uncorrelatable) {
    const std::string rule = place + ".rule";
    const std::string message = place + ".messageExpression";
    if (cost > kStaticLimit) {
      Add(RuleError::Type::kForbidden, rule,
          CostMessage("estimated rule cost", cost, kStaticLimit));
    }
    Observe(rule, cost);
    if (!compiled.error.empty()) {
      Add(RuleError::Type::kInvalid, rule, compiled.error, compiled.rule.tree);
    }
    if (!compiled.message_error.empty()) {
      Add(RuleError::Type::kInvalid, message, compiled.message_error, compiled.rule.tree);
    } else if (compiled.message.has_value()) {
      if (compiled.message_max_cost > kStaticLimit) {
        Add(RuleError::Type::kForbidden, message,
            CostMessage("estimated messageExpression cost", compiled.message_max_cost,
                        kStaticLimit));
      }
      Observe(message, compiled.message_max_cost);
    }
    if (compiled.uses_old_self && !uncorrelatable.empty()) {
      Add(RuleError::Type::kInvalid, rule,
          "oldSelf cannot be used on the uncorrelatable portion of the schema within " +
              uncorrelatable,
          value::Value::String(compiled.rule.rule));
    } else if (!compiled.uses_old_self && compiled.rule.optional_old_self.has_value()) {
      Add(RuleError::Type::kInvalid, place + ".optionalOldSelf",
          "may not be set if oldSelf is not used in rule",
          value::Value::Bool(*compiled.rule.optional_old_self));
    }
  }

  CompiledRule CompileRule(const Rule& rule, const Schema& spine, const DeclaredPtr& self) {
    CompiledRule compiled;
    compiled.rule = rule;
    if (TrimSpace(rule.rule).empty()) return compiled;
    if (self == nullptr) {
      compiled.error = "failed to convert to declType for CEL validation rules";
      return compiled;
    }
    Environment env(options_.environment);
    env.DeclareVariable("self", self->type);
    const bool optional = options_.optional_old_self && rule.optional_old_self.value_or(false);
    env.DeclareVariable("oldSelf", optional ? OptionalOf(self->type) : self->type);
    env.SetFieldTypes([self](std::string_view type, std::string_view field) {
      return self->FieldType(type, field);
    });
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
    compiled.max_cost = program->EstimateCost(SizesOf(self)).max;
    compiled.program = *std::move(program);
    if (options_.message_expressions && !rule.message_expression.empty()) {
      CompileMessage(env, self, &compiled);
    }
    std::string problem;
    if (options_.reasons && !rule.field_path.empty()) {
      compiled.field = FieldOfRule(rule.field_path, spine, &problem);
    }
    return compiled;
  }

  static void CompileMessage(const Environment& env, const DeclaredPtr& self,
                             CompiledRule* compiled) {
    absl::StatusOr<Program> program = env.Compile(compiled->rule.message_expression);
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
    compiled->message_max_cost = program->EstimateCost(SizesOf(self)).max;
    compiled->message = *std::move(program);
  }

  const RuleOptions& options_;
  std::vector<RuleError>* problems_;
  std::uint64_t total_ = 0;
  std::vector<std::pair<std::uint64_t, std::string>> expensive_;
};

}  // namespace

std::shared_ptr<const RuleSet::Node> CompileNode(const SchemaPtr& schema,
                                                 const RuleOptions& options,
                                                 std::vector<RuleError>* problems) {
  SchemaCompiler compiler(options, problems);
  auto node = compiler.Make(schema, schema, "", 1, "");
  compiler.CheckTotal();
  return node;
}

}  // namespace ksim::cel
