#include "ksim/client/indexer.h"

#include <utility>

#include "ksim/base/check.h"

namespace ksim::client {

void Indexer::File(Index& index, const std::vector<std::string>& values, const Entry& entry) {
  for (const std::string& value : values) index.values[value].emplace(entry.key, &entry);
}

void Indexer::Unfile(Index& index, const std::vector<std::string>& values, const Entry& entry) {
  for (const std::string& value : values) {
    const auto it = index.values.find(value);
    if (it == index.values.end()) continue;  // the same value given twice
    it->second.erase(entry.key);
    if (it->second.empty()) index.values.erase(it);
  }
}

api::Object Indexer::Put(const std::string& key, const api::Object& object) {
  resource_version_ = object.resource_version();
  if (const auto it = by_key_.find(key); it != by_key_.end()) {
    Entry& entry = *it->second;
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
  auto owned = std::make_unique<Entry>(key, object);
  const Entry& entry = *owned;
  by_key_.emplace(entry.key, std::move(owned));
  sorted_.emplace(entry.key, &entry);
  for (auto& [name, index] : indexes_) File(index, index.function(object), entry);
  return {};
}

api::Object Indexer::Erase(const std::string& key) {
  const auto it = by_key_.find(key);
  if (it == by_key_.end()) return {};
  const std::unique_ptr<Entry> entry = std::move(it->second);
  for (auto& [name, index] : indexes_) Unfile(index, index.function(entry->object), *entry);
  sorted_.erase(entry->key);
  by_key_.erase(it);
  return entry->object;
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
  for (const auto& [key, entry] : sorted_) File(index, index.function(entry->object), *entry);
  indexes_.emplace(std::move(name), std::move(index));
}

const api::Object& Indexer::GetByKey(std::string_view key) const {
  static const api::Object kNone;
  const auto it = by_key_.find(key);
  return it == by_key_.end() ? kNone : it->second->object;
}

std::vector<std::string> Indexer::ListKeys() const {
  std::vector<std::string> keys;
  keys.reserve(sorted_.size());
  for (const auto& [key, entry] : sorted_) keys.emplace_back(key);
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
  std::string key(ns);
  key.append("/").append(name);
  return GetByKey(key);
}

std::vector<api::Object> Indexer::Objects(const Sorted& entries) {
  std::vector<api::Object> out;
  out.reserve(entries.size());
  for (const auto& [key, entry] : entries) out.push_back(entry->object);
  return out;
}

std::vector<api::Object> Indexer::List(std::string_view ns) const {
  if (ns.empty()) return Objects(sorted_);
  std::string first(ns);
  first.push_back('/');
  std::vector<api::Object> out;
  for (auto it = sorted_.lower_bound(first); it != sorted_.end(); ++it) {
    if (!it->first.starts_with(first)) break;
    out.push_back(it->second->object);
  }
  return out;
}

std::vector<api::Object> Indexer::ByIndex(std::string_view index, std::string_view value) const {
  if (index == kNamespaceIndex && !value.empty()) return List(value);
  if (index == kNamespaceIndex) {  // cluster-scoped objects
    std::vector<api::Object> out;
    for (const auto& [key, entry] : sorted_) {
      if (entry->object.ns().empty()) out.push_back(entry->object);
    }
    return out;
  }
  const auto it = indexes_.find(index);
  KSIM_CHECK(it != indexes_.end()) << "no index " << index;
  const auto found = it->second.values.find(value);
  return found == it->second.values.end() ? std::vector<api::Object>() : Objects(found->second);
}

}  // namespace ksim::client
