#include "ksim/apiserver/cacher/watch_cache.h"

#include <algorithm>
#include <utility>

#include "ksim/base/check.h"

namespace ksim::apiserver {

void WatchCache::Replace(std::vector<api::Object> objects, std::int64_t revision) {
  objects_.clear();
  by_node_.clear();
  for (api::Object& object : objects) {
    std::string key = object.key();
    if (node_index_) by_node_[std::string(object.node_name())].insert(key);
    objects_.insert_or_assign(std::move(key), std::move(object));
  }
  history_.Reset();
  snapshot_revisions_.clear();
  list_revision_ = revision_ = revision;
  AddSnapshot(revision);
}

const CacheEvent& WatchCache::Apply(api::WatchEventType type, std::uint64_t object_hash,
                                    api::Object object, VirtualTime now,
                                    const sim::Origin& origin) {
  CacheEvent event;
  event.type = type;
  event.object_hash = object_hash;
  event.key = object.key();
  event.revision = object.resource_version();
  event.recorded = now;
  event.origin = origin;
  const Objects::iterator before = objects_.find(event.key);
  if (before != objects_.end()) event.previous = before->second;
  event.object = std::move(object);
  KSIM_CHECK(event.revision >= revision_, "a change at {} came after {}", event.revision,
             revision_);
  const CacheEvent& added = history_.Add(std::move(event));
  revision_ = added.revision;
  if (history_.full()) CompactSnapshots(history_.at(0).revision);
  Store(added, before);
  AddSnapshot(revision_);
  return added;
}

void WatchCache::Store(const CacheEvent& event, Objects::iterator before) {
  if (node_index_ && !event.previous.empty()) {
    const auto node = by_node_.find(event.previous.node_name());
    node->second.erase(event.key);
    if (node->second.empty()) by_node_.erase(node);
  }
  if (event.type == api::WatchEventType::kDeleted) {
    if (before != objects_.end()) objects_.erase(before);
    return;
  }
  if (node_index_) by_node_[std::string(event.object.node_name())].insert(event.key);
  if (before != objects_.end()) {
    before->second = event.object;
  } else {
    objects_.emplace(event.key, event.object);
  }
}

void WatchCache::AddSnapshot(std::int64_t revision) {
  if (!snapshots_) return;
  if (snapshot_revisions_.empty() || snapshot_revisions_.end()[-1] != revision)
    snapshot_revisions_.Push(revision);
}

void WatchCache::CompactSnapshots(std::int64_t revision) {
  while (!snapshot_revisions_.empty() && *snapshot_revisions_.begin() < revision)
    snapshot_revisions_.Pop();
}

void WatchCache::ForgetHistory() {
  history_.Forget();
  snapshot_revisions_.clear();
  AddSnapshot(revision_);
}

const api::Object* WatchCache::Find(std::string_view key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : &found->second;
}

std::vector<api::Object> WatchCache::List(std::string_view prefix, std::string_view start) const {
  std::vector<api::Object> out;
  if (prefix.empty() && start.empty()) out.reserve(objects_.size());
  for (auto it = objects_.lower_bound(std::max(prefix, start));
       it != objects_.end() && it->first.starts_with(prefix); ++it) {
    out.push_back(it->second);
  }
  return out;
}

std::vector<api::Object> WatchCache::ListOnNode(std::string_view node,
                                                std::string_view prefix) const {
  std::vector<api::Object> out;
  const auto found = by_node_.find(node);
  if (found == by_node_.end()) return out;
  for (const std::string& key : found->second) {
    if (key.starts_with(prefix)) out.push_back(objects_.find(key)->second);
  }
  return out;
}

bool WatchCache::CanServeExact(std::int64_t revision) const {
  return !snapshot_revisions_.empty() && *snapshot_revisions_.begin() <= revision;
}

std::optional<std::vector<api::Object>> WatchCache::ListExact(std::int64_t revision,
                                                              std::string_view prefix,
                                                              std::string_view start) const {
  if (!CanServeExact(revision)) return std::nullopt;
  // For each changed key, the oldest change after `revision` says what the key held at `revision`.
  absl::btree_map<std::string_view, const api::Object*> then;
  for (std::size_t i = history_.size(); i-- > 0 && history_.at(i).revision > revision;) {
    const CacheEvent& event = history_.at(i);
    if (event.key.starts_with(prefix) && event.key >= start) then[event.key] = &event.previous;
  }
  if (then.empty()) return List(prefix, start);
  std::vector<api::Object> out;
  auto changed = then.begin();
  auto now = objects_.lower_bound(std::max(prefix, start));
  const auto in_range = [&] { return now != objects_.end() && now->first.starts_with(prefix); };
  while (in_range() || changed != then.end()) {
    if (changed == then.end() || (in_range() && now->first < changed->first)) {
      out.push_back((now++)->second);
      continue;
    }
    if (in_range() && now->first == changed->first) ++now;
    if (!changed->second->empty()) out.push_back(*changed->second);
    ++changed;
  }
  return out;
}

}  // namespace ksim::apiserver
