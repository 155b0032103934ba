#include "ksim/api/structural/correlation.h"

#include <algorithm>

namespace ksim::api {

using value::Value;

const Value* CorrelatedField(const SchemaNode& schema, value::Atom name, const Value& old) {
  if (schema.FieldNode(name) == nullptr) return nullptr;
  return old.Find(name);
}

ItemCorrelation::ItemCorrelation(const SchemaNode& list, const Value& now, const Value* old)
    : list_(list), old_(nullptr) {
  const bool keyed =
      list.list_type == SchemaNode::ListType::kMap && !list.list_keys.empty() && now.is_array();
  if (keyed && old != nullptr && old->is_array()) old_ = old;
}

const Value* ItemCorrelation::OldOf(const Value& item) const {
  if (old_ == nullptr || !item.is_object()) return nullptr;
  for (const Value& before : old_->items()) {
    const bool same =
        before.is_object() &&
        std::all_of(list_.list_keys.begin(), list_.list_keys.end(), [&](value::Atom key) {
          const Value *a = item.Find(key), *b = before.Find(key);
          return a == nullptr || b == nullptr ? a == b : *a == *b;
        });
    if (same) return &before;
  }
  return nullptr;
}

}  // namespace ksim::api
