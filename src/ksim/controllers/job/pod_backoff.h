// PodBackoff: how long a Job waits with new pods after some have failed. The record is in memory
// alone: a restart of the controller forgets it.
//
// Source: pkg/controller/job/backoff_utils.go.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/controllers/common/profile.h"

namespace ksim::controllers {

inline constexpr Duration kPodFailureBackoff = Seconds(10);
inline constexpr Duration kMaxPodFailureBackoff = Minutes(10);

// getFinishedTime: the end of the last container, else the moment since which the pod is not
// ready, else that of its deletion, else its creation.
VirtualTime PodFinishedAt(const api::Object& pod, const Profile& profile);

// getRemainingTimeForFailuresCount.
Duration RemainingBackoff(std::int64_t failures, VirtualTime last_failure, VirtualTime now);

struct BackoffRecord {
  BackoffRecord() = default;
  std::int64_t failures_after_last_success = 0;
  std::optional<VirtualTime> last_failure;
  Duration Remaining(VirtualTime now) const;
};

class PodBackoffStore {
 public:
  explicit PodBackoffStore(const Profile& profile) : profile_(profile) {}
  // The record as it is once these pods have been counted; it is kept by Update.
  BackoffRecord Next(const std::string& key, std::vector<api::Object> new_succeeded,
                     std::vector<api::Object> new_failed) const;
  void Update(const std::string& key, const BackoffRecord& record) { records_[key] = record; }
  void Remove(const std::string& key) { records_.erase(key); }

 private:
  const Profile& profile_;
  absl::btree_map<std::string, BackoffRecord> records_;
};

}  // namespace ksim::controllers
