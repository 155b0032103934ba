#include "ksim/client/core/cache_waits.h"

#include <algorithm>

namespace ksim::client {

void CacheWaits::Begin(const std::string& part) {
  if (!Waits(part)) Say(CacheMoment::Kind::kWaits, part);
  waiting_.push_back(part);
}

void CacheWaits::End(const std::string& part) {
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), part));
  if (!Waits(part)) Say(CacheMoment::Kind::kSynced, part);
}

void CacheWaits::LogTo(CacheLog* log) {
  if (log_ != nullptr) return;
  log_ = log;
  for (auto it = waiting_.begin(); it != waiting_.end(); ++it)
    if (std::find(waiting_.begin(), it, *it) == it) Say(CacheMoment::Kind::kWaits, *it);
}

bool CacheWaits::Waits(const std::string& part) const {
  return std::find(waiting_.begin(), waiting_.end(), part) != waiting_.end();
}

void CacheWaits::Say(CacheMoment::Kind what, const std::string& part) {
  if (log_ == nullptr) return;
  CacheMoment moment(what, nullptr);
  moment.part = part;
  log_->Hear(moment);
}

}  // namespace ksim::client
