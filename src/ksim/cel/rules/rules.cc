#include "ksim/cel/rules/rules.h"

#include <map>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/cel/rules/compiled.h"
#include "ksim/cel/rules/correlated.h"
#include "ksim/cel/rules/view.h"
#include "ksim/value/text.h"

namespace ksim::cel {
namespace {

constexpr std::size_t kMaxMessage = 5 * 1024;

std::string Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

// Which part of the old object a place has come from; without ratcheting, none.
struct Ratchet {
  std::optional<Correlated> current;
  std::optional<Correlated> parent;  // the nearest ancestor that is known

  // shouldRatchetError
  bool Unchanged() const {
    if (current.has_value()) return current->Unchanged();
    return parent.has_value() && parent->Unchanged();
  }
  Ratchet Key(value::Atom name) const {
    if (!current.has_value()) return *this;
    // Both states have been converted to one version.
    const std::string_view text = name.text();
    if (!parent.has_value() && (text == "apiVersion" || text == "kind")) return {};
    return {current->Key(name), current};
  }
  Ratchet Index(std::size_t i) const {
    if (!current.has_value()) return *this;
    return {current->Index(i), current};
  }
};

}  // namespace

// A place with rules, or with rules below it.
struct RuleSet::Node {
  SchemaPtr schema;
  NodeRules own;
  std::map<std::string, std::shared_ptr<const Node>, std::less<>> properties;
  std::shared_ptr<const Node> items, additional;
};

namespace {

std::shared_ptr<const RuleSet::Node> MakeNode(const SchemaPtr& schema,
                                              const RuleCompiler& compiler) {
  if (!schema->HasRules()) return nullptr;
  auto node = std::make_shared<RuleSet::Node>();
  node->schema = schema;
  if (!schema->rules.empty()) node->own = compiler.Compile(*schema, nullptr);
  const Schema& own = schema->Own();
  if (own.items != nullptr) node->items = MakeNode(own.items, compiler);
  if (own.additional != nullptr) node->additional = MakeNode(own.additional, compiler);
  for (const auto& [name, property] : own.properties) {
    auto below = MakeNode(property, compiler);
    // A field that CEL has no type for is not judged.
    const bool shown = below != nullptr && (below->own.declared || !EscapeName(name));
    if (shown) node->properties[name] = std::move(below);
  }
  return node;
}

class RuleRun {
 public:
  RuleRun(const RuleOptions& options, std::int64_t budget) : options_(options) {
    result_.remaining_budget = budget;
  }
  RuleResult Take() { return std::move(result_); }

  void Visit(const RuleSet::Node* node, const std::string& path, const value::Value& object,
             const value::Value* old, const Ratchet& ratchet) {
    if (node == nullptr || object.is_null() || Spent()) return;
    JudgeRules(*node, path, object, old, ratchet);
    if (Spent()) return;
    if (object.is_array()) VisitItems(*node, path, object, old, ratchet);
    if (object.is_object()) VisitMembers(*node, path, object, old, ratchet);
  }

 private:
  bool Spent() const { return result_.remaining_budget < 0; }

  void VisitItems(const RuleSet::Node& node, const std::string& path, const value::Value& list,
                  const value::Value* old, const Ratchet& ratchet) {
    if (node.items == nullptr) return;
    for (std::size_t i = 0; i < list.size() && !Spent(); ++i) {
      const value::Value* old_item =
          old != nullptr && old->is_array() ? OldItemOf(*node.schema, *old, list.at(i)) : nullptr;
      Visit(node.items.get(), path + "[" + std::to_string(i) + "]", list.at(i), old_item,
            ratchet.Index(i));
    }
  }

  void VisitMembers(const RuleSet::Node& node, const std::string& path, const value::Value& object,
                    const value::Value* old, const Ratchet& ratchet) {
    for (const value::Value::Member& m : object.members()) {
      if (Spent()) return;
      const std::string name(m.name.text());
      const value::Value* old_value =
          old != nullptr && old->is_object() ? old->Find(m.name) : nullptr;
      if (node.additional != nullptr) {
        Visit(node.additional.get(), path + "[" + name + "]", m.value, old_value,
              ratchet.Key(m.name));
      }
      const auto property = node.properties.find(name);
      if (property != node.properties.end()) {
        Visit(property->second.get(), path.empty() ? name : path + "." + name, m.value, old_value,
              ratchet.Key(m.name));
      }
    }
  }

  static std::string RuleText(const Rule& rule) {
    return Trimmed(rule.message.empty() ? rule.rule : rule.message);
  }

  // ruleMessageOrDefault
  std::string MessageOf(const Rule& rule) const {
    if (rule.message.empty()) return "failed rule: " + RuleText(rule);
    return options_.trims_messages ? Trimmed(rule.message) : rule.message;
  }

  struct Place {
    const std::string& path;
    const value::Value& object;
    Activation activation, message_activation;
  };

  void Fail(const std::string& path, const Schema& schema, std::string detail) {
    RuleError error;
    error.path = path;
    error.has_value = true;
    error.bad_value = value::Value::String(schema.type);
    error.detail = std::move(detail);
    result_.errors.push_back(std::move(error));
  }

  void JudgeRules(const RuleSet::Node& node, const std::string& path, const value::Value& object,
                  const value::Value* old, const Ratchet& ratchet) {
    const Schema& schema = *node.schema;
    if (!node.own.declared) {
      return Fail(path, schema,
                  "rule compiler initialization error: failed to convert to declType for CEL "
                  "validation rules");
    }
    if (node.own.rules.empty()) return;
    if (result_.remaining_budget <= 0) {
      Fail(path, schema,
           "validation failed due to running out of cost budget, no further validation rules will "
           "be run");
      result_.remaining_budget = -1;
      return;
    }
    const Val self = ViewOf(object, node.schema);
    const bool has_old = old != nullptr && !old->is_null();
    const Val old_self = has_old ? ViewOf(*old, node.schema) : Val();
    for (const CompiledRule& compiled : node.own.rules) {
      if (!compiled.error.empty()) {
        Fail(path, schema, "rule compile error: " + compiled.error);
        continue;
      }
      if (!compiled.program.has_value()) continue;
      const bool optional =
          options_.optional_old_self && compiled.rule.optional_old_self.value_or(false);
      if (compiled.uses_old_self && !has_old && !optional) continue;
      const auto activation = [&](bool shown_optional) -> Activation {
        return [&, shown_optional](std::string_view name) -> std::optional<Val> {
          if (name == "self") return self;
          if (name != "oldSelf") return std::nullopt;
          if (shown_optional) return has_old ? Val::Optional(old_self) : Val::None();
          if (!has_old) return std::nullopt;
          return old_self;
        };
      };
      // A messageExpression never sees oldSelf as an optional.
      const Place place{path, object, activation(optional), activation(false)};
      if (!JudgeRule(compiled, node, place, ratchet)) return;
    }
  }

  // False: nothing more is to be run.
  bool JudgeRule(const CompiledRule& compiled, const RuleSet::Node& node, const Place& place,
                 const Ratchet& ratchet) {
    const Schema& schema = *node.schema;
    const std::string& path = place.path;
    const Evaluation e = compiled.program->Evaluate(place.activation);
    const std::string text = RuleText(compiled.rule);
    if (e.cost > static_cast<std::uint64_t>(result_.remaining_budget)) {
      Fail(path, schema,
           "validation failed due to running out of cost budget, no further validation rules will "
           "be run");
      result_.remaining_budget = -1;
      return false;
    }
    result_.remaining_budget -= static_cast<std::int64_t>(e.cost);
    if (e.value.is_error()) {
      const std::string message(e.value.message());
      if (message.starts_with("no such overload")) {
        Fail(path, schema,
             "'" + message +
                 "': call arguments did not match a supported operator, function or macro "
                 "signature for rule: " +
                 text);
      } else if (message.starts_with("operation cancelled: actual cost limit exceeded")) {
        Fail(path, schema,
             "'" + message +
                 "': no further validation rules will be run due to call cost exceeds limit for "
                 "rule: " +
                 text);
        result_.remaining_budget = -1;
        return false;
      } else {
        Fail(path, schema, message + " evaluating rule: " + text);
      }
      return true;
    }
    if (e.value.is_true()) return true;
    return Report(compiled, schema, place, ratchet);
  }

  bool Report(const CompiledRule& compiled, const Schema& schema, const Place& place,
              const Ratchet& ratchet) {
    RuleError error;
    error.path = place.path;
    if (!compiled.field.empty()) error.path += (place.path.empty() ? "" : ".") + compiled.field;
    error.detail = MessageOf(compiled.rule);
    bool go_on = true;
    if (compiled.message.has_value()) {
      const MessageResult message = EvaluateMessage(compiled, place.message_activation);
      go_on = !message.ends;
      if (!message.text.empty()) error.detail = message.text;
    }
    if (go_on) {
      const std::string& reason = options_.reasons ? compiled.rule.reason : kNone;
      if (reason == "FieldValueForbidden") error.type = RuleError::Type::kForbidden;
      if (reason == "FieldValueRequired") error.type = RuleError::Type::kRequired;
      if (reason == "FieldValueDuplicate") error.type = RuleError::Type::kDuplicate;
    }
    const bool shows = go_on && options_.shows_values;
    error.has_value = !shows || (schema.type != "object" && schema.type != "array");
    error.bad_value = shows ? place.object : value::Value::String(schema.type);
    const bool ratchets = !compiled.uses_old_self && ratchet.Unchanged();
    (ratchets ? result_.warnings : result_.errors).push_back(std::move(error));
    if (!go_on) result_.remaining_budget = -1;
    return go_on;
  }

  struct MessageResult {
    std::string text;   // empty: the rule's own message is shown
    bool ends = false;  // the text is an error, and nothing more is run
  };

  // evalMessageExpression.
  MessageResult EvaluateMessage(const CompiledRule& compiled, const Activation& activation) {
    const Evaluation e = compiled.message->Evaluate(activation);
    if (e.cost > static_cast<std::uint64_t>(result_.remaining_budget)) {
      return {
          "messageExpression evaluation failed due to running out of cost budget, no further "
          "validation rules will be run",
          true};
    }
    if (e.value.is_error() && e.value.message().starts_with("operation cancelled")) {
      return {
          "no further validation rules will be run due to call cost exceeds limit for "
          "messageExpression: " +
              value::GoQuote(compiled.rule.message_expression),
          true};
    }
    result_.remaining_budget -= static_cast<std::int64_t>(e.cost);
    if (!e.value.is_string()) return {};
    std::string text = Trimmed(e.value.AsText());
    if (text.size() > kMaxMessage || text.find('\n') != std::string::npos) return {};
    return {std::move(text), false};
  }

  inline static const std::string kNone;
  const RuleOptions& options_;
  RuleResult result_;
};

}  // namespace

RuleOptions RuleOptions::Kubernetes(int minor) {
  RuleOptions o;
  o.environment = EnvironmentOptions::Kubernetes(minor);
  o.fresh_environment = EnvironmentOptions::Kubernetes(minor - 1);
  o.message_expressions = minor >= 27;
  o.trims_messages = minor >= 27;
  o.reasons = minor >= 28;
  o.optional_old_self = minor >= 30;
  o.shows_values = minor > 30;
  return o;
}

RuleSet::RuleSet(const value::Value& schema, bool root, const RuleOptions& options)
    : options_(options), schema_(Schema::FromTree(schema, root)) {
  root_ = MakeNode(schema_, RuleCompiler(options_));
}

RuleSet::~RuleSet() = default;
RuleSet::RuleSet(RuleSet&&) noexcept = default;

bool RuleSet::empty() const { return root_ == nullptr; }

RuleResult RuleSet::Validate(const RuleRequest& request) const {
  RuleRun run(options_, request.budget);
  const bool is_update = request.old != nullptr && !request.old->is_null();
  Ratchet ratchet;
  if (is_update && request.ratchets)
    ratchet.current = Correlated{&request.object, request.old, schema_.get()};
  run.Visit(root_.get(), request.path, request.object, is_update ? request.old : nullptr, ratchet);
  return run.Take();
}

}  // namespace ksim::cel
