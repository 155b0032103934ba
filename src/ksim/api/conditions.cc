#include "ksim/api/conditions.h"

#include <vector>

#include "ksim/api/timestamps.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

const Atom& TypeName() {
  static const Atom name("type");
  return name;
}
const Atom& StatusName() {
  static const Atom name("status");
  return name;
}
const Atom& TransitionName() {
  static const Atom name("lastTransitionTime");
  return name;
}

}  // namespace

const Value* FindCondition(const Value& conditions, std::string_view type) {
  for (const Value& c : conditions.items()) {
    if (c.Get(TypeName()).AsString() == type) return &c;
  }
  return nullptr;
}

std::string_view ConditionStatus(const Value& conditions, std::string_view type) {
  const Value* found = FindCondition(conditions, type);
  return found != nullptr ? found->Get(StatusName()).AsString() : std::string_view();
}

std::optional<VirtualTime> ConditionSince(const Value& conditions, std::string_view type) {
  const Value* found = FindCondition(conditions, type);
  if (found == nullptr) return std::nullopt;
  return TimeOf(found->Get(TransitionName()));
}

Value MakeCondition(std::string_view type, std::string_view status, std::string_view reason,
                    std::string_view message) {
  value::ObjectBuilder condition;
  condition.Add("type", Value::Of(type));
  condition.Add("status", Value::Of(status));
  condition.AddIf(!reason.empty(), "reason", Value::Of(reason));
  condition.AddIf(!message.empty(), "message", Value::Of(message));
  return condition.Build();
}

Value UpdateCondition(const Value& conditions, Value condition, VirtualTime now) {
  const std::string_view type = condition.Get(TypeName()).AsString();
  std::vector<Value> list(conditions.items().begin(), conditions.items().end());
  for (Value& old : list) {
    if (old.Get(TypeName()).AsString() != type) continue;
    const bool same = old.Get(StatusName()) == condition.Get(StatusName());
    const Value& since = old.Get(TransitionName());
    condition = std::move(condition).Set(TransitionName(),
                                         same && !since.is_null() ? since : TimeValue(now));
    if (old == condition) return conditions;
    old = std::move(condition);
    return Value::Array(std::move(list));
  }
  list.push_back(std::move(condition).Set(TransitionName(), TimeValue(now)));
  return Value::Array(std::move(list));
}

Value RemoveCondition(const Value& conditions, std::string_view type) {
  if (FindCondition(conditions, type) == nullptr) return conditions;
  std::vector<Value> kept;
  for (const Value& c : conditions.items()) {
    if (c.Get(TypeName()).AsString() != type) kept.push_back(c);
  }
  return Value::Array(std::move(kept));
}

}  // namespace ksim::api
