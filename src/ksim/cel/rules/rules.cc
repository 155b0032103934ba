#include "ksim/cel/rules/rules.h"

#include <map>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/cel/rules/compiled.h"
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

// How a value corresponds to its old one, for ratcheting (common.CorrelatedObject).
struct Correlation {
  const value::Value* now = nullptr;
  const value::Value* old = nullptr;  // null: nothing corresponds
};

struct Ratchet {
  Correlation current;
  Correlation parent;  // the nearest ancestor that corresponds
  bool at_root = true;

  bool Unchanged() const {
    const Correlation& c = current.old != nullptr ? current : parent;
    return c.old != nullptr && *c.now == *c.old;
  }
  Ratchet Below(const value::Value* now, const value::Value* old) const {
    if (current.old == nullptr) return *this;
    return {{now, old}, current, false};
  }
};

// The element of the old list with the keys of an item.
const value::Value* OldItem(const Schema& schema, const value::Value& old_list,
                            const value::Value& item) {
  if (schema.list_type != "map" || !item.is_object()) return nullptr;
  for (const value::Value& candidate : old_list.items()) {
    bool same = candidate.is_object();
    for (const std::string& key : schema.list_keys) {
      same = same && item.Has(key) && candidate.Has(key) && item.Get(key) == candidate.Get(key) &&
             !item.Get(key).is_object() && !item.Get(key).is_array() && !item.Get(key).is_null();
    }
    if (same) return &candidate;
  }
  return nullptr;
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
    for (const auto& part : node->all_of) {
      if (Spent()) return;
      Visit(part.get(), path, object, old, {{}, ratchet.parent, false});
    }
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
          old != nullptr && old->is_array() ? OldItem(*node.schema, *old, list.at(i)) : nullptr;
      Visit(node.items.get(), path + "[" + std::to_string(i) + "]", list.at(i), old_item,
            ratchet.Below(&list.at(i), old_item));
    }
  }

  void VisitMembers(const RuleSet::Node& node, const std::string& path, const value::Value& object,
                    const value::Value* old, const Ratchet& ratchet) {
    for (const value::Value::Member& m : object.members()) {
      if (Spent()) return;
      const std::string name(m.name.text());
      const value::Value* old_value =
          old != nullptr && old->is_object() ? old->Find(m.name) : nullptr;
      Ratchet below = ratchet.Below(&m.value, old_value);
      if (ratchet.at_root && (name == "apiVersion" || name == "kind")) below = {{}, {}, false};
      if (node.additional != nullptr) {
        Visit(node.additional.get(), path + "[" + name + "]", m.value, old_value, below);
      }
      const auto property = node.properties.find(name);
      if (property != node.properties.end()) {
        Visit(property->second.get(), path.empty() ? name : path + "." + name, m.value, old_value,
              below);
      }
    }
  }

  static std::string RuleText(const Rule& rule) {
    return Trimmed(rule.message.empty() ? rule.rule : rule.message);
  }

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
    if (node.rules.empty()) return;
    const Schema& schema = *node.schema;
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
    for (const CompiledRule& compiled : node.rules) {
      if (!compiled.error.empty()) {
        Fail(path, schema, "rule compile error: " + compiled.error);
        continue;
      }
      if (!compiled.program.has_value()) continue;
      const bool optional =
          options_.optional_old_self && compiled.rule.optional_old_self.value_or(false);
      if (compiled.uses_old_self && !has_old && !optional) continue;
      const Activation activation = [&](std::string_view name) -> std::optional<Val> {
        if (name == "self") return self;
        if (name != "oldSelf") return std::nullopt;
        if (optional) return has_old ? Val::Optional(old_self) : Val::None();
        if (!has_old) return std::nullopt;
        return old_self;
      };
      if (!JudgeRule(compiled, node, path, object, activation, ratchet)) return;
    }
  }

  // False: nothing more is to be run.
  bool JudgeRule(const CompiledRule& compiled, const RuleSet::Node& node, const std::string& path,
                 const value::Value& object, const Activation& activation, const Ratchet& ratchet) {
    const Schema& schema = *node.schema;
    const Evaluation e = compiled.program->Evaluate(activation);
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
    return Report(compiled, schema, path, object, activation, ratchet);
  }

  bool Report(const CompiledRule& compiled, const Schema& schema, const std::string& path,
              const value::Value& object, const Activation& activation, const Ratchet& ratchet) {
    RuleError error;
    error.path = path;
    if (!compiled.field.empty()) {
      error.path += (path.empty() || compiled.field[0] == '[' ? "" : ".") + compiled.field;
    }
    error.detail = compiled.rule.message.empty() ? "failed rule: " + RuleText(compiled.rule)
                                                 : Trimmed(compiled.rule.message);
    bool go_on = true;
    if (compiled.message.has_value()) {
      const MessageResult message = EvaluateMessage(compiled, activation);
      if (message.ends) {
        error.has_value = true;
        error.bad_value = value::Value::String(schema.type);
        error.detail = message.text;
        go_on = false;
      } else if (!message.text.empty()) {
        error.detail = message.text;
      }
    }
    if (go_on) {
      const std::string& reason = options_.reasons ? compiled.rule.reason : kNone;
      if (reason == "FieldValueForbidden") error.type = RuleError::Type::kForbidden;
      if (reason == "FieldValueRequired") error.type = RuleError::Type::kRequired;
      if (reason == "FieldValueDuplicate") error.type = RuleError::Type::kDuplicate;
      error.has_value = schema.type != "object" && schema.type != "array";
      if (error.has_value) error.bad_value = object;
    }
    const bool ratchets = options_.ratcheting && !compiled.uses_old_self && ratchet.Unchanged();
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
  o.message_expressions = minor >= 27;
  o.reasons = minor >= 28;
  o.optional_old_self = minor >= 30;
  o.ratcheting = minor >= 30;
  return o;
}

RuleSet::RuleSet(const value::Value& schema, const RuleOptions& options) : options_(options) {
  const SchemaPtr root = Schema::FromTree(schema, true);
  root_ = CompileNode(root, options_, &problems_);
}

RuleSet::~RuleSet() = default;
RuleSet::RuleSet(RuleSet&&) noexcept = default;

bool RuleSet::empty() const { return root_ == nullptr; }

RuleResult RuleSet::Validate(const value::Value& object, const value::Value& old_object,
                             std::int64_t budget) const {
  RuleRun run(options_, budget);
  const value::Value* old = old_object.is_null() ? nullptr : &old_object;
  run.Visit(root_.get(), "", object, old, {{&object, old}, {}, true});
  return run.Take();
}

}  // namespace ksim::cel
