#include "ksim/controllers/daemonset/failed_pods_backoff.h"

#include <algorithm>

namespace ksim::controllers {
namespace {

constexpr Duration kFirstFailureWait = Seconds(1);
constexpr Duration kLongestFailureWait = Minutes(15);

}  // namespace

bool FailedPodsBackoff::Expired(const Entry& entry, VirtualTime now) {
  return now - entry.updated > kLongestFailureWait * 2;
}

bool FailedPodsBackoff::IsWaiting(const std::string& key, VirtualTime now) const {
  const auto it = entries_.find(key);
  if (it == entries_.end() || Expired(it->second, now)) return false;
  return now - it->second.updated < it->second.wait;
}

Duration FailedPodsBackoff::Get(const std::string& key) const {
  const auto it = entries_.find(key);
  return it == entries_.end() ? Duration() : it->second.wait;
}

void FailedPodsBackoff::Next(const std::string& key, VirtualTime now) {
  const auto [it, fresh] = entries_.try_emplace(key);
  Entry& entry = it->second;
  const bool anew = fresh || Expired(entry, now);
  entry.wait = anew ? kFirstFailureWait : std::min(entry.wait * 2, kLongestFailureWait);
  entry.updated = now;
}

}  // namespace ksim::controllers
