// LruCache: at most `capacity` values by key; the one used longest ago makes room.
//
// Source: github.com/golang/groupcache/lru.
#pragma once
#include <cstddef>
#include <list>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace ksim::client {

template <class V>
class LruCache {
 public:
  explicit LruCache(std::size_t capacity) : capacity_(capacity) {}
  V* Get(const std::string& key) {  // null if not there; counts as a use
    const auto it = places_.find(key);
    if (it == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, it->second);
    return &it->second->second;
  }
  V& Put(const std::string& key, V value) {
    const auto [it, fresh] = places_.try_emplace(key);
    if (!fresh) {
      entries_.splice(entries_.begin(), entries_, it->second);
      return it->second->second = std::move(value);
    }
    entries_.emplace_front(key, std::move(value));
    it->second = entries_.begin();
    if (entries_.size() > capacity_) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    return entries_.front().second;
  }
  std::size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<std::string, V>>;
  std::size_t capacity_;
  Entries entries_;                                                      // most recently used first
  absl::flat_hash_map<std::string, typename Entries::iterator> places_;  // looked up only
};

}  // namespace ksim::client
