#include "ksim/client/indexer.h"

#include <algorithm>
#include <utility>

#include "ksim/base/check.h"

namespace ksim::client {

Indexer::Key::Key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) ns = text.substr(0, slash);
  name = slash == std::string_view::npos ? text : text.substr(slash + 1);
}

// As their texts: '/' stands after the shorter of two namespaces, which is not their own order.
bool Indexer::Key::operator<(const Key& other) const {
  if (ns == other.ns) return name < other.name;
  const std::size_t common = std::min(ns.size(), other.ns.size());
  const int order = ns.substr(0, common).compare(other.ns.substr(0, common));
  if (order != 0) return order < 0;
  return ns.size() < other.ns.size() ? '/' < other.ns[common] : ns[common] < '/';
}

void Indexer::File(Index& index, const std::vector<std::string>& values, const Entry& entry) {
  for (const std::string& value : values) index.values[value].insert(&entry);
}

void Indexer::Unfile(Index& index, const std::vector<std::string>& values, const Entry& entry) {
  for (const std::string& value : values) {
    const auto it = index.values.find(value);
    if (it == index.values.end()) continue;  // the same value given twice
    it->second.erase(&entry);
    if (it->second.empty()) index.values.erase(it);
  }
}

api::Object Indexer::Put(const std::string& key, const api::Object& object) {
  resource_version_ = object.resource_version();
  const Key place(key);
  KSIM_CHECK(place == Key(object.ns(), object.name())) << key << " is another object's key";
  if (const auto it = by_key_.find(place); it != by_key_.end()) {
    Entry& entry = **it;
    api::Object old = std::exchange(entry.object, object);
    for (auto& [name, index] : indexes_) {
      const std::vector<std::string> before = index.function(old);
      const std::vector<std::string> after = index.function(object);
      if (before == after) continue;
      Unfile(index, before, entry);
      File(index, after, entry);
    }
    return old;
  }
  const Entry& entry = **by_key_.insert(std::make_unique<Entry>(object)).first;
  sorted_.insert(sorted_.end(), &entry);  // lists come sorted
  for (auto& [name, index] : indexes_) File(index, index.function(object), entry);
  return {};
}

api::Object Indexer::Erase(const std::string& key) {
  const auto it = by_key_.find(Key(key));
  if (it == by_key_.end()) return {};
  const Entry& entry = **it;
  for (auto& [name, index] : indexes_) Unfile(index, index.function(entry.object), entry);
  sorted_.erase(&entry);
  api::Object object = entry.object;
  by_key_.erase(it);
  return object;
}

void Indexer::Replace(const std::vector<api::Object>& objects, std::int64_t resource_version) {
  for (auto& [name, index] : indexes_) index.values.clear();
  sorted_.clear();
  by_key_.clear();
  by_key_.reserve(objects.size());
  for (const api::Object& object : objects) Put(object.key(), object);
  resource_version_ = resource_version;
}

void Indexer::AddIndex(std::string name, IndexFunc function) {
  KSIM_CHECK(name != kNamespaceIndex && !indexes_.contains(name)) << "index exists: " << name;
  Index index;
  index.function = std::move(function);
  for (const Entry* entry : sorted_) File(index, index.function(entry->object), *entry);
  indexes_.emplace(std::move(name), std::move(index));
}

const api::Object& Indexer::GetByKey(std::string_view key) const {
  static const api::Object kNone;
  const auto it = by_key_.find(Key(key));
  return it == by_key_.end() ? kNone : (*it)->object;
}

std::vector<std::string> Indexer::ListKeys() const {
  std::vector<std::string> keys;
  keys.reserve(sorted_.size());
  for (const Entry* entry : sorted_) keys.push_back(entry->object.key());
  return keys;
}

std::vector<std::string> Indexer::IndexValues(std::string_view index) const {
  const auto it = indexes_.find(index);
  KSIM_CHECK(it != indexes_.end()) << "no index " << index;
  std::vector<std::string> values;
  for (const auto& [value, entries] : it->second.values) values.push_back(value);
  return values;
}

api::Object Indexer::Get(std::string_view ns, std::string_view name) const {
  if (ns.empty()) return GetByKey(name);
  const auto it = by_key_.find(Key(ns, name));
  return it == by_key_.end() ? api::Object() : (*it)->object;
}

std::vector<api::Object> Indexer::Objects(const Sorted& entries) {
  std::vector<api::Object> out;
  out.reserve(entries.size());
  for (const Entry* entry : entries) out.push_back(entry->object);
  return out;
}

std::vector<api::Object> Indexer::List(std::string_view ns) const {
  if (ns.empty()) return Objects(sorted_);
  std::vector<api::Object> out;
  for (auto it = sorted_.lower_bound(Key(ns, "")); it != sorted_.end(); ++it) {
    if ((*it)->object.ns() != ns) break;
    out.push_back((*it)->object);
  }
  return out;
}

std::vector<api::Object> Indexer::ByIndex(std::string_view index, std::string_view value) const {
  if (index == kNamespaceIndex && !value.empty()) return List(value);
  if (index == kNamespaceIndex) {  // cluster-scoped objects
    std::vector<api::Object> out;
    for (const Entry* entry : sorted_)
      if (entry->object.ns().empty()) out.push_back(entry->object);
    return out;
  }
  const auto it = indexes_.find(index);
  KSIM_CHECK(it != indexes_.end()) << "no index " << index;
  const auto found = it->second.values.find(value);
  return found == it->second.values.end() ? std::vector<api::Object>() : Objects(found->second);
}

}  // namespace ksim::client
