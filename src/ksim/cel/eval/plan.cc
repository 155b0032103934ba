#include "ksim/cel/eval/plan.h"

#include <map>
#include <utility>

#include "ksim/cel/eval/attribute.h"
#include "ksim/cel/eval/nodes.h"
#include "ksim/cel/functions/regex.h"
#include "ksim/cel/values/operations.h"
#include "ksim/value/text.h"

namespace ksim::cel {
namespace {

bool IsConversion(const std::string& function) {
  for (const char* name : {"bool", "bytes", "double", "dyn", "duration", "int", "string",
                           "timestamp", "type", "uint"}) {
    if (function == name) return true;
  }
  return false;
}

// Whether a constant list serves as a set.
bool IsSet(const Val& list) {
  for (std::size_t i = 0; i < list.list().size(); ++i) {
    const Val item = list.list().at(i);
    if (!item.is_bool() && !item.is_int() && !item.is_uint() && !item.is_double() &&
        !item.is_string()) {
      return false;
    }
  }
  return true;
}

class Planner {
 public:
  Planner(const CheckedAst& checked, const FunctionTable& functions, const CostPolicy* policy)
      : checked_(checked), functions_(functions), policy_(policy) {}

  PlanPtr Run() { return Make(*checked_.ast.root); }
  std::vector<std::string> TakeVariables() { return std::move(variables_); }
  std::size_t slots() const { return slots_; }
  const std::string& problem() const { return problem_; }

 private:
  void Fail(const std::string& problem) {
    if (problem_.empty()) problem_ = problem;
  }

  PlanPtr Make(const Expr& e) {
    switch (e.kind) {
      case ExprKind::kLiteral:
        return std::make_unique<ConstantNode>(e.literal);
      case ExprKind::kIdent:
        return MakeIdent(e);
      case ExprKind::kSelect:
        return MakeSelect(e);
      case ExprKind::kCall:
        return MakeCall(e);
      case ExprKind::kList:
        return MakeList(e);
      case ExprKind::kMap:
        return MakeMap(e);
      case ExprKind::kComprehension:
        return MakeLoop(e);
      case ExprKind::kStruct:
        break;
    }
    Fail("unknown type: " + e.name);
    return std::make_unique<ConstantNode>(Val());
  }

  PlanPtr MakeIdent(const Expr& e) {
    const auto type = checked_.type_values.find(e.id);
    if (type != checked_.type_values.end()) {
      return std::make_unique<ConstantNode>(Val::OfType(type->second));
    }
    if (!e.name.starts_with('.')) {
      for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        if (scope->first == e.name) return AttributeNode::OfSlot(scope->second);
      }
    }
    const std::string name = e.name.starts_with('.') ? e.name.substr(1) : e.name;
    const auto [place, fresh] = numbers_.try_emplace(name, variables_.size());
    if (fresh) variables_.push_back(name);
    return AttributeNode::Variable(place->second, name);
  }

  // The node as an attribute that can be qualified further.
  static std::unique_ptr<AttributeNode> AsAttribute(PlanPtr node) {
    auto* attribute = dynamic_cast<AttributeNode*>(node.get());
    if (attribute == nullptr || attribute->is_test()) {
      return AttributeNode::OfValue(std::move(node));
    }
    node.release();
    return std::unique_ptr<AttributeNode>(attribute);
  }

  PlanPtr MakeSelect(const Expr& e) {
    std::unique_ptr<AttributeNode> attribute = AsAttribute(Make(*e.target));
    attribute->Add({Val::String(e.name), nullptr, false});
    if (e.test_only) attribute->MakeTest();
    return attribute;
  }

  PlanPtr MakeIndex(const Expr& e, bool optional) {
    std::unique_ptr<AttributeNode> attribute = AsAttribute(Make(*e.items[0]));
    Qualifier qualifier;
    qualifier.optional = optional;
    PlanPtr index = Make(*e.items[1]);
    if (const Val* key = index->constant()) {
      qualifier.key = *key;
    } else {
      qualifier.dynamic = std::move(index);
    }
    attribute->Add(std::move(qualifier));
    return attribute;
  }

  std::vector<PlanPtr> MakeArgs(const Expr& e) {
    std::vector<PlanPtr> args;
    if (e.target != nullptr) args.push_back(Make(*e.target));
    for (const ExprPtr& item : e.items) args.push_back(Make(*item));
    return args;
  }

  PlanPtr MakeCall(const Expr& e) {
    if (e.name == kIndex) return MakeIndex(e, false);
    if (e.name == kOptIndex || e.name == kOptSelect) return MakeIndex(e, true);
    std::vector<PlanPtr> args = MakeArgs(e);
    if (e.name == kLogicalAnd) return std::make_unique<LogicNode>(false, std::move(args));
    if (e.name == kLogicalOr) return std::make_unique<LogicNode>(true, std::move(args));
    if (e.name == kConditional) {
      return AttributeNode::Conditional(std::move(args[0]), std::move(args[1]), std::move(args[2]));
    }
    if (e.target != nullptr && (e.name == "or" || e.name == "orValue") && args.size() == 2) {
      return std::make_unique<OptionalOrNode>(std::move(args[0]), std::move(args[1]),
                                              e.name == "orValue");
    }
    CallTarget target = TargetOf(e);
    if (target.overload == "in_list" && args[1]->constant() != nullptr &&
        args[1]->constant()->is_list()) {
      const Val list = *args[1]->constant();
      if (list.list().size() == 0) return std::make_unique<ConstantNode>(Val::Bool(false));
      if (IsSet(list)) return std::make_unique<MembershipNode>(std::move(args[0]), list);
    }
    if (args.size() == 1 && args[0]->constant() != nullptr && IsConversion(e.name)) {
      return Fold(target, *args[0]->constant());
    }
    PrepareRegex(e.name, args, &target);
    return Finish(e, std::move(target), std::move(args));
  }

  PlanPtr Finish(const Expr& e, CallTarget target, std::vector<PlanPtr> args) {
    int slot = -1;
    if (e.name == kAdd || e.name == "cel.@mapInsert") {
      const bool accumulates = !e.items.empty() && e.items[0]->kind == ExprKind::kIdent &&
                               e.items[0]->name == kAccumulator;
      const auto* first = dynamic_cast<const AttributeNode*>(args[0].get());
      if (accumulates && first != nullptr) slot = first->plain_slot();
    }
    auto call = std::make_unique<CallNode>(std::move(target), std::move(args), policy_);
    if (slot >= 0) call->TakeFrom(static_cast<std::size_t>(slot));
    return call;
  }

  PlanPtr Fold(const CallTarget& target, const Val& arg) {
    Val v = target.run(Arguments(&arg, 1));
    if (v.is_error()) Fail(std::string(v.message()));
    return std::make_unique<ConstantNode>(std::move(v));
  }

  CallTarget TargetOf(const Expr& e) {
    CallTarget target;
    target.function = e.name;
    if (e.name == kEquals) {
      target.overload = "equals";
      target.run = [](Arguments a) { return Equal(a[0], a[1]); };
      return target;
    }
    if (e.name == kNotEquals) {
      target.overload = "not_equals";
      target.run = [](Arguments a) { return Val::Bool(!IsEqual(a[0], a[1])); };
      return target;
    }
    if (e.name == kNotStrictlyFalse) {
      target.overload = "not_strictly_false";
      target.strict = false;
      target.run = [](Arguments a) { return a[0].is_bool() ? a[0] : Val::Bool(true); };
      return target;
    }
    const Function& function = *functions_.Find(e.name);
    const std::vector<std::string>& ids = checked_.overloads.at(e.id);
    const std::size_t count = e.items.size() + (e.target != nullptr ? 1 : 0);
    target.stops_at_error = count >= 3;
    if (ids.size() == 1) target.overload = ids[0];
    if (function.run) {
      target.run = function.run;
      return target;
    }
    if (ids.size() != 1) {
      target.stops_at_error = true;
      target.run = [&function](Arguments a) { return function.Dispatch(a); };
      return target;
    }
    for (const Overload& overload : function.overloads) {
      if (overload.id != ids[0]) continue;
      target.run = [&function, &overload](Arguments a) {
        for (std::size_t i = 0; i < a.size(); ++i) {
          if (!IsOfType(a[i], *overload.args[i])) return function.NoSuchOverload(a);
        }
        return overload.run(a);
      };
    }
    return target;
  }

  // A constant pattern is compiled once.
  void PrepareRegex(const std::string& function, const std::vector<PlanPtr>& args,
                    CallTarget* target) {
    const bool matches = function == "matches";
    if ((!matches && function != "find" && function != "findAll") || args.size() < 2) return;
    const Val* pattern = args[1]->constant();
    if (pattern == nullptr || !pattern->is_string()) return;
    std::string error;
    const std::shared_ptr<const Regex> regex = Regex::Compile(pattern->AsText(), &error);
    if (regex == nullptr) return Fail(error);
    target->stops_at_error = true;
    target->run = [regex, matches, function](Arguments a) {
      if (!a[0].is_string()) return Val::NoSuchOverload();
      if (matches) return Val::Bool(regex->Matches(a[0].AsText()));
      if (function == "find") return Val::String(regex->Find(a[0].AsText()));
      std::vector<Val> found;
      const std::int64_t most = a.size() == 3 ? a[2].AsInt() : -1;
      for (const std::string& text : regex->FindAll(a[0].AsText(), most)) {
        found.push_back(Val::String(text));
      }
      return Val::List(std::move(found));
    };
  }

  PlanPtr MakeList(const Expr& e) {
    std::vector<PlanPtr> items;
    for (const ExprPtr& item : e.items) items.push_back(Make(*item));
    return Constant(std::make_unique<ListMaker>(std::move(items), e.optional));
  }

  PlanPtr MakeMap(const Expr& e) {
    std::vector<MapMaker::Entry> entries;
    for (const MapEntry& entry : e.entries) {
      PlanPtr key = Make(*entry.key);
      entries.push_back({std::move(key), Make(*entry.value), entry.optional});
    }
    return Constant(std::make_unique<MapMaker>(std::move(entries)));
  }

  // A maker of constants is run once, now.
  template <class Maker>
  static PlanPtr Constant(std::unique_ptr<Maker> maker) {
    if (!maker->IsConstant()) return maker;
    const Activation none;
    ksim::cel::Run run(none, UINT64_MAX);
    return std::make_unique<ConstantNode>(maker->Eval(run));
  }

  PlanPtr MakeLoop(const Expr& e) {
    const Comprehension& loop = *e.loop;
    LoopParts parts;
    parts.init = Make(*loop.init);
    parts.range = Make(*loop.range);
    parts.accu = slots_++;
    parts.var = slots_++;
    parts.two_variables = !loop.var2.empty();
    if (parts.two_variables) parts.var2 = slots_++;
    scopes_.emplace_back(loop.accu, parts.accu);
    const std::size_t mark = scopes_.size();
    scopes_.emplace_back(loop.var, parts.var);
    if (parts.two_variables) scopes_.emplace_back(loop.var2, parts.var2);
    parts.condition = Make(*loop.condition);
    parts.step = Make(*loop.step);
    scopes_.resize(mark);
    parts.result = Make(*loop.result);
    scopes_.pop_back();
    return std::make_unique<LoopNode>(std::move(parts));
  }

  const CheckedAst& checked_;
  const FunctionTable& functions_;
  const CostPolicy* policy_;
  std::vector<std::pair<std::string, std::size_t>> scopes_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> variables_;
  std::size_t slots_ = 0;
  std::string problem_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Plan>> MakePlan(const CheckedAst& checked,
                                                     const FunctionTable& functions,
                                                     const CostPolicy& policy) {
  Planner planner(checked, functions, &policy);
  auto plan = std::make_shared<Plan>();
  plan->root = planner.Run();
  if (!planner.problem().empty()) return value::InvalidText(planner.problem());
  plan->variables = planner.TakeVariables();
  plan->slots = planner.slots();
  return plan;
}

}  // namespace ksim::cel
