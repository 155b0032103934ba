// BookmarkSchedule: which watchers are due for a bookmark, in buckets of one second.
//
// Source: apiserver pkg/storage/cacher/cacher.go watcherBookmarkTimeBuckets.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/base/time.h"

namespace ksim::apiserver {

class BookmarkSchedule {
 public:
  explicit BookmarkSchedule(VirtualTime created) : created_(created) {}
  // A watcher whose `due` lies in the past is taken out next.
  void Add(std::uint64_t watcher, VirtualTime due);
  // Takes out the watchers that are due at `now`, oldest bucket first. Buckets are taken whole: a
  // watcher may be up to a second early.
  std::vector<std::uint64_t> TakeDue(VirtualTime now);
  // The time at which the first bucket begins; nullopt if there is none.
  std::optional<VirtualTime> NextDue() const;

 private:
  std::int64_t Bucket(VirtualTime t) const { return (t - created_).whole_seconds(); }

  VirtualTime created_;
  std::int64_t start_ = 0;  // the first bucket not yet taken
  absl::btree_map<std::int64_t, std::vector<std::uint64_t>> buckets_;
};

}  // namespace ksim::apiserver
