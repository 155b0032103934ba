#include "ksim/apiserver/cacher/watcher_index.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "ksim/base/hash.h"

namespace ksim::apiserver {
namespace {

bool Older(const CacheWatcher* a, const CacheWatcher* b) { return a->id() < b->id(); }

}  // namespace

WatcherIndex::Key WatcherIndex::KeyOf(const Predicate& p) {
  return p.node_name() != nullptr ? Hash64(*p.node_name())
                                  : OfScope(Hash64(p.ns()), Hash64(p.name()));
}

void WatcherIndex::Add(Owned watcher) {
  CacheWatcher* w = watcher.get();
  Group& group = groups_[KeyOf(w->predicate())];
  group.insert(std::upper_bound(group.begin(), group.end(), w, Older), w);
  all_.insert(std::move(watcher));
}

CacheWatcher* WatcherIndex::Find(std::uint64_t id) const {
  const auto it = all_.find(id);
  return it == all_.end() ? nullptr : it->get();
}

WatcherIndex::Owned WatcherIndex::Remove(std::uint64_t id) {
  const auto it = all_.find(id);
  if (it == all_.end()) return nullptr;
  Owned removed = std::move(all_.extract(it).value());
  const auto group = groups_.find(KeyOf(removed->predicate()));
  group->second.erase(std::find(group->second.begin(), group->second.end(), removed.get()));
  if (group->second.empty()) groups_.erase(group);
  return removed;
}

void WatcherIndex::Collect(Key key) {
  const auto group = groups_.find(key);
  if (group == groups_.end()) return;
  const auto before = static_cast<std::ptrdiff_t>(found_.size());
  found_.insert(found_.end(), group->second.begin(), group->second.end());
  std::inplace_merge(found_.begin(), found_.begin() + before, found_.end(), Older);
}

const std::vector<CacheWatcher*>& WatcherIndex::Interested(const CacheEvent& event) {
  found_.clear();
  if (groups_.empty()) return found_;
  const std::uint64_t any = Hash64("");
  const std::uint64_t ns = Hash64(event.object.ns());
  const std::uint64_t name = Hash64(event.object.name());
  Collect(OfScope(any, any));
  Collect(OfScope(any, name));
  if (ns != any) {
    Collect(OfScope(ns, any));
    Collect(OfScope(ns, name));
  }
  const std::string_view node = event.object.node_name();
  Collect(Hash64(node));
  if (!event.previous.empty() && event.previous.node_name() != node)
    Collect(Hash64(event.previous.node_name()));
  return found_;
}

std::vector<WatcherIndex::Owned> WatcherIndex::TakeAll() {
  std::vector<Owned> out;
  while (!all_.empty()) out.push_back(std::move(all_.extract(all_.begin()).value()));
  groups_.clear();
  return out;
}

}  // namespace ksim::apiserver
