#include "ksim/cel/eval/attribute.h"

#include "ksim/cel/values/operations.h"

namespace ksim::cel {
namespace {

// Inner attributes are resolved, not evaluated: their own access costs nothing there.
Val ResolveInner(const PlanNode& node, Run& run) {
  const auto* attribute = dynamic_cast<const AttributeNode*>(&node);
  return attribute != nullptr && !attribute->is_test() ? attribute->Resolve(run) : node.Eval(run);
}

}  // namespace

std::unique_ptr<AttributeNode> AttributeNode::Variable(std::size_t number, std::string name) {
  auto node = std::make_unique<AttributeNode>();
  node->number_ = number;
  node->name_ = std::move(name);
  return node;
}

std::unique_ptr<AttributeNode> AttributeNode::OfSlot(std::size_t slot) {
  auto node = std::make_unique<AttributeNode>();
  node->root_ = Root::kSlot;
  node->number_ = slot;
  return node;
}

std::unique_ptr<AttributeNode> AttributeNode::OfValue(PlanPtr value) {
  auto node = std::make_unique<AttributeNode>();
  node->root_ = Root::kValue;
  node->value_ = std::move(value);
  return node;
}

std::unique_ptr<AttributeNode> AttributeNode::Conditional(PlanPtr condition, PlanPtr yes,
                                                          PlanPtr no) {
  auto node = std::make_unique<AttributeNode>();
  node->root_ = Root::kConditional;
  node->value_ = std::move(condition);
  node->yes_ = std::move(yes);
  node->no_ = std::move(no);
  return node;
}

Val AttributeNode::ResolveRoot(Run& run) const {
  switch (root_) {
    case Root::kVariable: {
      std::optional<Val>& v = run.variables[number_];
      if (!v.has_value()) v = run.activation(name_);
      if (!v.has_value()) return Val::Error("no such attribute(s): " + name_);
      return *v;
    }
    case Root::kSlot: {
      if (const PlanNode* init = run.slots[number_].init) {
        run.slots[number_].init = nullptr;
        Val v = init->Eval(run);
        run.slots[number_].value = std::move(v);
      }
      return run.slots[number_].value;
    }
    case Root::kValue:
      return value_->Eval(run);
    case Root::kConditional: {
      const Val condition = value_->Eval(run);
      if (run.cancelled) return Cancelled();
      if (condition.is_bool()) return ResolveInner(condition.is_true() ? *yes_ : *no_, run);
      return condition.is_error() ? condition : Val::NoSuchOverload();
    }
  }
  return {};
}

// The next value. With `optional` or `presence`, a missing one is no error but not `present`.
Val AttributeNode::Step(Run& run, const Val& object, const Qualifier& qualifier, bool optional,
                        bool presence, bool* present) const {
  Val key = qualifier.key;
  if (qualifier.dynamic != nullptr) {
    key = ResolveInner(*qualifier.dynamic, run);
    if (run.cancelled) return Cancelled();
    if (key.is_error()) {
      run.Charge(1);
      return key;
    }
  }
  *present = true;
  Val result;
  const bool lenient = optional || presence;
  if (object.is_error()) {
    result = object;
  } else if (object.is_map() || object.is_list()) {
    std::optional<Val> found = FindIn(object, key);
    if (found.has_value()) {
      result = *std::move(found);
    } else if (lenient) {
      *present = false;
    } else {
      result =
          Val::Error((object.is_map() ? "no such key: " : "index out of bounds: ") + key.ToText());
    }
  } else if (lenient && presence) {
    *present = false;
  } else if (lenient) {
    *present = false;
  } else {
    result = Val::Error("no such key: " + key.ToText());
  }
  if (*present || presence) run.Charge(1);
  return run.cancelled ? Cancelled() : result;
}

Val AttributeNode::Resolve(Run& run) const {
  Val object = ResolveRoot(run);
  if (run.cancelled) return Cancelled();
  if (object.is_error() || qualifiers_.empty()) return object;
  bool optional = object.is_optional();
  if (optional) {
    if (object.optional_value() == nullptr) return test_ ? Val::Bool(false) : object;
    object = Val(*object.optional_value());
  }
  for (std::size_t i = 0; i < qualifiers_.size(); ++i) {
    const bool last = i + 1 == qualifiers_.size();
    optional = optional || qualifiers_[i].optional;
    bool present = true;
    object = Step(run, object, qualifiers_[i], optional, test_ && last, &present);
    if (run.cancelled || object.is_error()) return object;
    if (test_ && last) return Val::Bool(present);
    if (!present) return test_ ? Val::Bool(false) : Val::None();
  }
  return optional ? Val::Optional(std::move(object)) : object;
}

Val AttributeNode::Eval(Run& run) const {
  Val v = Resolve(run);
  if (run.cancelled) return Cancelled();
  // has() gives its own unit back (PresenceTestHasCost(false)); a ternary has none.
  if (!test_ && root_ != Root::kConditional) run.Charge(1);
  return run.cancelled ? Cancelled() : v;
}

}  // namespace ksim::cel
