#include "ksim/api/strategy/status_counters.h"

#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/schema/go_types.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

Value ZeroStatus(const ResourceInfo& kind) {
  const GoType* type = TypeOf(kind);
  if (type == nullptr) return Value::EmptyObject();
  const GoField* status = type->fields().Find(Fields().status);
  if (status == nullptr) return Value::EmptyObject();
  std::vector<Value::Member> members;
  for (const GoField& field : status->type->fields().fields) {
    const GoType::Kind k = field.type->kind;
    const bool counter = k == GoType::Kind::kInt32 || k == GoType::Kind::kInt64;
    if (field.always && counter) members.emplace_back(field.name, Value::Of(0));
  }
  return Value::Object(std::move(members));
}

Value WithStatusCounters(const ResourceInfo& kind, Value tree) {
  const Value zero = ZeroStatus(kind);
  const Value& given = tree.Get(Fields().status);
  Value status = given.is_object() ? given : Value::EmptyObject();
  for (const Value::Member& counter : zero.members())
    if (status.Get(counter.name).is_null())
      status = std::move(status).Set(counter.name, counter.value);
  return std::move(tree).Set(Fields().status, std::move(status));
}

}  // namespace ksim::api
