#include "ksim/client/cache/indexer.h"

#include <algorithm>
#include <utility>

#include "ksim/base/check.h"

namespace ksim::client {

namespace {

const api::Object& None() {
  static const api::Object none;
  return none;
}

}  // namespace

const IndexValues& Indexer::ValuesOf(const api::Object& object, const Index& index,
                                     IndexValues* values) {
  values->clear();
  index.function(object, *values);
  return *values;
}

void Indexer::File(Index& index, const IndexValues& values, const Entry& entry) {
  for (std::size_t i = 0; i < values.size(); ++i) index.values[values[i]].insert(&entry);
}

void Indexer::Unfile(Index& index, const IndexValues& values, const Entry& entry) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto it = index.values.find(values[i]);
    if (it == index.values.end()) continue;  // the same value given twice
    it->second.erase(&entry);
    if (it->second.empty()) index.values.erase(it);
  }
}

api::Object Indexer::Put(const api::Object& object) {
  resource_version_ = object.resource_version();
  if (const auto it = by_key_.find(object); it != by_key_.end()) {
    Entry& entry = **it;
    api::Object old = entry.Exchange(object);
    for (Index& index : indexes_) {
      const IndexValues& before = ValuesOf(old, index, &before_);
      const IndexValues& after = ValuesOf(object, index, &after_);
      if (before == after) continue;
      Unfile(index, before, entry);
      File(index, after, entry);
    }
    return old;
  }
  const Entry& entry = **by_key_.insert(std::make_unique<Entry>(object)).first;
  sorted_.insert(sorted_.end(), &entry);  // lists come sorted
  for (Index& index : indexes_) File(index, ValuesOf(object, index, &after_), entry);
  return {};
}

api::Object Indexer::Erase(const api::Object& object) {
  const auto it = by_key_.find(object);
  if (it == by_key_.end()) return {};
  const Entry& entry = **it;
  for (Index& index : indexes_) Unfile(index, ValuesOf(entry.object(), index, &before_), entry);
  sorted_.erase(&entry);
  api::Object old = entry.object();
  by_key_.erase(it);
  return old;
}

void Indexer::Replace(const std::vector<api::Object>& objects, std::int64_t resource_version) {
  for (Index& index : indexes_) index.values.clear();
  sorted_.clear();
  by_key_.clear();
  by_key_.reserve(objects.size());
  for (const api::Object& object : objects) Put(object);
  resource_version_ = resource_version;
}

void Indexer::AddIndex(std::string name, IndexFunc function) {
  KSIM_CHECK(!HasIndex(name)) << "index exists: " << name;
  Index& index = indexes_.emplace_back();
  index.name = std::move(name);
  index.function = std::move(function);
  for (const Entry* entry : sorted_) File(index, ValuesOf(entry->object(), index, &after_), *entry);
}

const Indexer::Index* Indexer::FindIndex(std::string_view name) const {
  const auto it = std::find_if(indexes_.begin(), indexes_.end(),
                               [&](const Index& index) { return index.name == name; });
  return it == indexes_.end() ? nullptr : &*it;
}

const api::Object& Indexer::Find(const api::Object& object) const {
  const auto it = by_key_.find(object);
  return it == by_key_.end() ? None() : (*it)->object();
}

const api::Object& Indexer::ObjectAt(const KeyView& key) const {
  const auto it = by_key_.find(key);
  return it == by_key_.end() ? None() : (*it)->object();
}

const api::Object& Indexer::GetByKey(std::string_view key) const { return ObjectAt(KeyView(key)); }

std::vector<std::string> Indexer::ListIndexFuncValues(std::string_view index) const {
  const Index* const found = FindIndex(index);
  KSIM_CHECK(found != nullptr) << "no index " << index;
  std::vector<std::string> values;
  for (const auto& [value, entries] : found->values) values.push_back(value);
  return values;
}

api::Object Indexer::Get(std::string_view ns, std::string_view name) const {
  return ns.empty() ? GetByKey(name) : ObjectAt(KeyView(ns, name));
}

std::vector<api::Object> Indexer::Objects(const Sorted& entries) {
  std::vector<api::Object> out;
  out.reserve(entries.size());
  for (const Entry* entry : entries) out.push_back(entry->object());
  return out;
}

std::vector<api::Object> Indexer::List(std::string_view ns) const {
  if (ns.empty()) return Objects(sorted_);
  std::vector<api::Object> out;
  for (auto it = sorted_.lower_bound(KeyView(ns, "")); it != sorted_.end(); ++it) {
    if ((*it)->object().ns() != ns) break;
    out.push_back((*it)->object());
  }
  return out;
}

std::vector<api::Object> Indexer::ByIndex(std::string_view index, std::string_view value) const {
  if (index == kNamespaceIndex && !value.empty()) return List(value);
  if (index == kNamespaceIndex) {  // cluster-scoped objects
    std::vector<api::Object> out;
    for (const Entry* entry : sorted_)
      if (entry->object().ns().empty()) out.push_back(entry->object());
    return out;
  }
  const Index* const found = FindIndex(index);
  KSIM_CHECK(found != nullptr) << "no index " << index;
  const auto it = found->values.find(value);
  return it == found->values.end() ? std::vector<api::Object>() : Objects(it->second);
}

}  // namespace ksim::client
