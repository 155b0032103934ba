#include "ksim/apiserver/cacher/bookmark_schedule.h"

#include <algorithm>
#include <utility>

namespace ksim::apiserver {

void BookmarkSchedule::Add(std::uint64_t watcher, VirtualTime due) {
  buckets_[std::max(Bucket(due), start_)].push_back(watcher);
}

std::vector<std::uint64_t> BookmarkSchedule::TakeDue(VirtualTime now) {
  std::vector<std::uint64_t> due;
  const std::int64_t current = Bucket(now);
  while (!buckets_.empty() && buckets_.begin()->first <= current) {
    std::vector<std::uint64_t>& bucket = buckets_.begin()->second;
    if (due.empty()) {
      due = std::move(bucket);  // mostly there is one
    } else {
      due.insert(due.end(), bucket.begin(), bucket.end());
    }
    buckets_.erase(buckets_.begin());
  }
  start_ = std::max(start_, current + 1);
  return due;
}

std::optional<VirtualTime> BookmarkSchedule::NextDue() const {
  if (buckets_.empty()) return std::nullopt;
  return created_ + Seconds(buckets_.begin()->first);
}

}  // namespace ksim::apiserver
