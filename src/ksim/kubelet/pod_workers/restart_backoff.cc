#include "ksim/kubelet/pod_workers/restart_backoff.h"

#include <algorithm>

namespace ksim::kubelet {
namespace {

constexpr Duration kFirstBackOff = Seconds(10);
constexpr Duration kLongestBackOff = Seconds(300);

}  // namespace

bool RestartBackoff::Expired(const Entry& entry, VirtualTime finished) {
  return finished - entry.updated > kLongestBackOff * 2;
}

VirtualTime RestartBackoff::WaitsUntil(const std::string& key, VirtualTime finished) const {
  const auto it = entries_.find(key);
  if (it == entries_.end() || Expired(it->second, finished)) return finished;
  return finished + it->second.backoff;
}

VirtualTime RestartBackoff::WaitsSinceLast(const std::string& key, VirtualTime now) const {
  const auto it = entries_.find(key);
  if (it == entries_.end() || Expired(it->second, now)) return now;
  return std::max(now, it->second.updated + it->second.backoff);
}

void RestartBackoff::Next(const std::string& key, VirtualTime finished, VirtualTime now) {
  const auto [it, fresh] = entries_.try_emplace(key);
  Entry& entry = it->second;
  const bool anew = fresh || Expired(entry, finished);
  entry.backoff = anew ? kFirstBackOff : std::min(entry.backoff * 2, kLongestBackOff);
  entry.updated = now;
}

Duration RestartBackoff::Get(const std::string& key) const {
  const auto it = entries_.find(key);
  return it == entries_.end() ? Duration() : it->second.backoff;
}

void RestartBackoff::Forget(const std::string& prefix) {
  for (auto it = entries_.lower_bound(prefix);
       it != entries_.end() && it->first.starts_with(prefix);) {
    it = entries_.erase(it);
  }
}

}  // namespace ksim::kubelet
