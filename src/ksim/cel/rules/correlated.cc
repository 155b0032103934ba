#include "ksim/cel/rules/correlated.h"

#include <algorithm>

namespace ksim::cel {

using value::Value;

const Value* OldItemOf(const Schema& list, const Value& old, const Value& item) {
  if (list.list_type != "map" || list.list_keys.empty() || !item.is_object()) return nullptr;
  const auto same_key = [&item](const Value& candidate, const std::string& key) {
    const Value& a = item.Get(key);
    return (a.is_string() || a.is_number() || a.is_bool()) && a == candidate.Get(key);
  };
  for (const Value& candidate : old.items()) {
    const bool same = candidate.is_object() &&
                      std::all_of(list.list_keys.begin(), list.list_keys.end(),
                                  [&](const std::string& key) { return same_key(candidate, key); });
    if (same) return &candidate;
  }
  return nullptr;
}

std::optional<Correlated> Correlated::Key(value::Atom name) const {
  if (!now->is_object() || !old->is_object()) return std::nullopt;
  const Value* a = now->Find(name);
  const Value* b = old->Find(name);
  if (a == nullptr || b == nullptr) return std::nullopt;
  const Schema& own = schema->Own();
  const auto property = own.properties.find(name.text());
  if (property != own.properties.end()) return Correlated{a, b, property->second.get()};
  if (own.additional == nullptr) return std::nullopt;
  return Correlated{a, b, own.additional.get()};
}

std::optional<Correlated> Correlated::Index(std::size_t i) const {
  if (schema->items == nullptr || !old->is_array()) return std::nullopt;
  const Value* before = OldItemOf(*schema, *old, now->at(i));
  if (before == nullptr) return std::nullopt;
  return Correlated{&now->at(i), before, schema->items.get()};
}

bool Correlated::Unchanged() const {
  if (now->is_array() && old->is_array()) {
    if (now->size() != old->size()) return false;
    if (schema->list_type != "map" || schema->list_keys.empty()) return *now == *old;
    for (std::size_t i = 0; i < now->size(); ++i) {
      const std::optional<Correlated> item = Index(i);
      if (!item.has_value() || !item->Unchanged()) return false;
    }
    return true;
  }
  if (now->is_object() && old->is_object()) {
    if (now->size() != old->size()) return false;
    return std::all_of(now->members().begin(), now->members().end(), [this](const auto& member) {
      const std::optional<Correlated> field = Key(member.name);
      return field.has_value() && field->Unchanged();
    });
  }
  return *now == *old;
}

}  // namespace ksim::cel
