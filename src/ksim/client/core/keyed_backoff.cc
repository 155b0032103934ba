#include "ksim/client/core/keyed_backoff.h"

#include <algorithm>

namespace ksim::client {

bool KeyedBackoff::Expired(const Entry& entry, VirtualTime finished) const {
  return finished - entry.updated > longest_ * 2;
}

VirtualTime KeyedBackoff::WaitsUntil(const std::string& key, VirtualTime finished) const {
  const auto it = entries_.find(key);
  if (it == entries_.end() || Expired(it->second, finished)) return finished;
  return finished + it->second.backoff;
}

VirtualTime KeyedBackoff::WaitsSinceLast(const std::string& key, VirtualTime now) const {
  const auto it = entries_.find(key);
  if (it == entries_.end() || Expired(it->second, now)) return now;
  return std::max(now, it->second.updated + it->second.backoff);
}

void KeyedBackoff::Next(const std::string& key, VirtualTime finished, VirtualTime now) {
  const auto [it, fresh] = entries_.try_emplace(key);
  Entry& entry = it->second;
  const bool anew = fresh || Expired(entry, finished);
  entry.backoff = anew ? first_ : std::min(entry.backoff * 2, longest_);
  entry.updated = now;
}

Duration KeyedBackoff::Get(const std::string& key) const {
  const auto it = entries_.find(key);
  return it == entries_.end() ? Duration() : it->second.backoff;
}

void KeyedBackoff::Forget(const std::string& prefix) {
  for (auto it = entries_.lower_bound(prefix);
       it != entries_.end() && it->first.starts_with(prefix);) {
    it = entries_.erase(it);
  }
}

}  // namespace ksim::client
