#include "ksim/api/structural/prune.h"

#include <fmt/format.h>

#include <algorithm>

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

bool IsMetaField(Atom name) {
  static const Atom kVersion("apiVersion"), kKind("kind"), kMetadata("metadata");
  return name == kVersion || name == kKind || name == kMetadata;
}

// A copy of an object or array that begins with the first change.
class PartialCopy {
 public:
  explicit PartialCopy(const Value& whole) : whole_(whole) {}
  // The member at `place` has become `now`, or is gone (null pointer).
  void Member(std::size_t place, const Value* now) {
    const Value::Member& m = whole_.member(place);
    if (!changed_ && now != nullptr && now->SameTree(m.value)) return;
    if (!changed_) members_.assign(whole_.members().begin(), &m);
    changed_ = true;
    if (now != nullptr) members_.emplace_back(m.name, *now);
  }
  void Item(std::size_t place, Value now) {
    if (!changed_ && now.SameTree(whole_.at(place))) return;
    if (!changed_) items_.assign(whole_.items().begin(), whole_.items().begin() + place);
    changed_ = true;
    items_.push_back(std::move(now));
  }
  void Add(Atom name, Value v) {
    if (!changed_) members_.assign(whole_.members().begin(), whole_.members().end());
    changed_ = true;
    members_.emplace_back(name, std::move(v));
  }
  Value Build() && {
    if (!changed_) return whole_;
    return whole_.is_array() ? Value::Array(std::move(items_)) : Value::Object(std::move(members_));
  }

 private:
  const Value& whole_;
  std::vector<Value::Member> members_;
  std::vector<Value> items_;
  bool changed_ = false;
};

class SchemaPruner {
 public:
  explicit SchemaPruner(std::vector<std::string>* dropped) : dropped_(dropped) {}

  // `kept`: the list around it keeps unknown fields, and so its items do (skipPrune).
  Value Prune(const SchemaNode* s, const Value& x, bool embedded, bool kept = false) {
    if (!x.is_object() && !x.is_array()) return x;
    const bool keeps = s != nullptr && (s->preserve_unknown || kept);
    if (x.is_array()) return PruneItems(s, x, keeps);
    PartialCopy copy(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Value::Member& m = x.member(i);
      if (embedded && IsMetaField(m.name)) {
        copy.Member(i, &m.value);
        continue;
      }
      const SchemaNode* below = s == nullptr ? nullptr : s->FieldNode(m.name);
      const bool open = s != nullptr && s->additional != SchemaNode::Additional::kUnset &&
                        s->additional != SchemaNode::Additional::kForbidden;
      if (below == nullptr && !open) {
        if (!keeps) Drop(m.name);
        copy.Member(i, keeps ? &m.value : nullptr);
        continue;
      }
      const std::size_t length = Enter(m.name);
      const Value now = Prune(below, m.value, below != nullptr && below->embedded);
      path_.resize(length);
      copy.Member(i, &now);
    }
    return std::move(copy).Build();
  }

 private:
  Value PruneItems(const SchemaNode* s, const Value& x, bool keeps) {
    const SchemaNode* const items = s == nullptr ? nullptr : s->items.get();
    if (keeps && items == nullptr) return x;
    PartialCopy copy(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t length = path_.size();
      if (dropped_ != nullptr) path_ += fmt::format("[{}]", i);
      copy.Item(i, Prune(items, x.at(i), items != nullptr && items->embedded, keeps));
      path_.resize(length);
    }
    return std::move(copy).Build();
  }

  std::size_t Enter(Atom name) {
    const std::size_t length = path_.size();
    if (dropped_ == nullptr) return length;
    if (length > 0) path_ += '.';
    path_ += name.text();
    return length;
  }

  void Drop(Atom name) {
    if (dropped_ == nullptr || (IsMetaField(name) && path_.empty())) return;
    const std::size_t length = Enter(name);
    dropped_->push_back(path_);
    path_.resize(length);
  }

  std::vector<std::string>* dropped_;
  std::string path_;
};

bool IsPlainNull(const SchemaNode* s, const Value& v) {
  return v.is_null() && s != nullptr && !s->nullable;
}

}  // namespace

Value PruneUnknown(const SchemaNode* schema, const Value& object,
                   std::vector<std::string>* dropped) {
  Value pruned = SchemaPruner(dropped).Prune(schema, object, /*embedded=*/true);
  if (dropped != nullptr) std::sort(dropped->begin(), dropped->end());
  return pruned;
}

Value PruneNulls(const SchemaNode* schema, const Value& v) {
  if (schema == nullptr) return v;
  PartialCopy copy(v);
  for (std::size_t i = 0; v.is_object() && i < v.size(); ++i) {
    const Value::Member& m = v.member(i);
    const SchemaNode* const below = schema->FieldNode(m.name);
    if (IsPlainNull(below, m.value) && below->default_value.is_null()) {
      copy.Member(i, nullptr);
      continue;
    }
    const Value now = PruneNulls(below, m.value);
    copy.Member(i, &now);
  }
  for (std::size_t i = 0; v.is_array() && i < v.size(); ++i)
    copy.Item(i, PruneNulls(schema->items.get(), v.at(i)));
  return std::move(copy).Build();
}

Value FillDefaults(const SchemaNode* schema, const Value& v) {
  if (schema == nullptr || !schema->any_default) return v;
  PartialCopy copy(v);
  for (std::size_t i = 0; v.is_object() && i < v.size(); ++i) {
    const Value::Member& m = v.member(i);
    const SchemaNode* const below = schema->FieldNode(m.name);
    const bool plain_null = IsPlainNull(below, m.value);
    const Value now = FillDefaults(
        below, plain_null && !below->default_value.is_null() ? below->default_value : m.value);
    copy.Member(i, &now);
  }
  if (v.is_object() && schema->any_default) {
    for (const SchemaNode::Property& property : schema->properties) {
      if (property.node->default_value.is_null() || v.Find(property.name) != nullptr) continue;
      copy.Add(property.name, FillDefaults(property.node.get(), property.node->default_value));
    }
  }
  for (std::size_t i = 0; v.is_array() && i < v.size(); ++i) {
    const SchemaNode* const items = schema->items.get();
    const bool replaced = IsPlainNull(items, v.at(i)) && !items->default_value.is_null();
    copy.Item(i, FillDefaults(items, replaced ? items->default_value : v.at(i)));
  }
  return std::move(copy).Build();
}

}  // namespace ksim::api
