#include "ksim/api/conditions.h"

#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/timestamps.h"

namespace ksim::api {

using value::Value;

const Value* FindCondition(const Value& conditions, std::string_view type) {
  const FieldNames& n = Fields();
  for (const Value& c : conditions.items()) {
    if (c.Get(n.type).AsString() == type) return &c;
  }
  return nullptr;
}

std::string_view ConditionStatus(const Value& conditions, std::string_view type) {
  const Value* found = FindCondition(conditions, type);
  return found != nullptr ? found->Get(Fields().status).AsString() : std::string_view();
}

std::optional<VirtualTime> ConditionSince(const Value& conditions, std::string_view type) {
  const Value* found = FindCondition(conditions, type);
  if (found == nullptr) return std::nullopt;
  return TimeOf(found->Get(Fields().last_transition_time));
}

Value MakeCondition(std::string_view type, std::string_view status, std::string_view reason,
                    std::string_view message) {
  const FieldNames& n = Fields();
  std::vector<Value::Member> members;  // by name, which spares the sorting
  members.reserve(4);
  if (!message.empty()) members.emplace_back(n.message, Value::Of(message));
  if (!reason.empty()) members.emplace_back(n.reason, Value::Of(reason));
  members.emplace_back(n.status, Value::Of(status));
  members.emplace_back(n.type, Value::Of(type));
  return Value::Object(std::move(members));
}

Value UpdateCondition(const Value& conditions, Value condition, VirtualTime now) {
  const FieldNames& n = Fields();
  const std::string_view type = condition.Get(n.type).AsString();
  std::vector<Value> list(conditions.items().begin(), conditions.items().end());
  for (Value& old : list) {
    if (old.Get(n.type).AsString() != type) continue;
    const bool same = old.Get(n.status) == condition.Get(n.status);
    const Value& since = old.Get(n.last_transition_time);
    condition = std::move(condition).Set(n.last_transition_time,
                                         same && !since.is_null() ? since : TimeValue(now));
    if (old == condition) return conditions;
    old = std::move(condition);
    return Value::Array(std::move(list));
  }
  list.push_back(std::move(condition).Set(n.last_transition_time, TimeValue(now)));
  return Value::Array(std::move(list));
}

Value SetStatusCondition(const Value& conditions, const StatusCondition& condition,
                         VirtualTime now) {
  value::ObjectBuilder tree;
  tree.Add("message", Value::Of(condition.message));
  tree.AddIf(condition.observed_generation != 0, "observedGeneration",
             Value::Int(condition.observed_generation));
  tree.Add("reason", Value::Of(condition.reason));
  tree.Add("status", Value::Of(condition.status));
  tree.Add("type", Value::Of(condition.type));
  return UpdateCondition(conditions, tree.Build(), now);
}

Value RemoveCondition(const Value& conditions, std::string_view type) {
  if (FindCondition(conditions, type) == nullptr) return conditions;
  std::vector<Value> kept;
  for (const Value& c : conditions.items()) {
    if (c.Get(Fields().type).AsString() != type) kept.push_back(c);
  }
  return Value::Array(std::move(kept));
}

}  // namespace ksim::api
