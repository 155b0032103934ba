#include "ksim/apiserver/cacher/watcher_index.h"

#include <algorithm>

namespace ksim::apiserver {
namespace {

bool ById(const CacheWatcher* a, const CacheWatcher* b) { return a->id() < b->id(); }

template <class Map, class Key>
void Erase(Map& groups, const Key& key, const CacheWatcher* watcher) {
  const auto group = groups.find(key);
  if (group == groups.end()) return;
  auto& members = group->second;
  members.erase(std::remove(members.begin(), members.end(), watcher), members.end());
  if (members.empty()) groups.erase(group);
}

}  // namespace

void WatcherIndex::Add(std::shared_ptr<CacheWatcher> watcher) {
  CacheWatcher* w = watcher.get();
  const std::string* node = w->predicate().node_name();
  Group& group = node != nullptr ? by_node_[*node] : by_scope_[ScopeOf(w->predicate())];
  group.insert(std::upper_bound(group.begin(), group.end(), w, ById), w);
  all_.insert_or_assign(w->id(), std::move(watcher));
}

std::shared_ptr<CacheWatcher> WatcherIndex::Find(std::uint64_t id) const {
  const auto it = all_.find(id);
  return it == all_.end() ? nullptr : it->second;
}

std::shared_ptr<CacheWatcher> WatcherIndex::Remove(std::uint64_t id) {
  const auto it = all_.find(id);
  if (it == all_.end()) return nullptr;
  const Predicate& p = it->second->predicate();
  if (p.node_name() != nullptr) {
    Erase(by_node_, *p.node_name(), it->second.get());
  } else {
    Erase(by_scope_, ScopeOf(p), it->second.get());
  }
  std::shared_ptr<CacheWatcher> removed = std::move(it->second);
  all_.erase(it);
  return removed;
}

void WatcherIndex::Collect(const Scope& scope) {
  const auto group = by_scope_.find(scope);
  if (group != by_scope_.end())
    found_.insert(found_.end(), group->second.begin(), group->second.end());
}

void WatcherIndex::CollectNode(std::string_view node) {
  const auto group = by_node_.find(std::string(node));
  if (group != by_node_.end())
    found_.insert(found_.end(), group->second.begin(), group->second.end());
}

const std::vector<CacheWatcher*>& WatcherIndex::Interested(const CacheEvent& event) {
  found_.clear();
  const std::string ns(event.object.ns());
  const std::string name(event.object.name());
  if (!ns.empty()) {
    Collect({ns, name});
    Collect({ns, ""});
  }
  Collect({"", name});
  Collect({"", ""});
  if (!by_node_.empty()) {
    const std::string_view node = event.object.node_name();
    CollectNode(node);
    if (!event.previous.empty() && event.previous.node_name() != node)
      CollectNode(event.previous.node_name());
  }
  std::sort(found_.begin(), found_.end(), ById);
  return found_;
}

std::vector<std::shared_ptr<CacheWatcher>> WatcherIndex::TakeAll() {
  std::vector<std::shared_ptr<CacheWatcher>> out;
  for (auto& [id, watcher] : all_) out.push_back(std::move(watcher));
  all_.clear();
  by_scope_.clear();
  by_node_.clear();
  return out;
}

}  // namespace ksim::apiserver
