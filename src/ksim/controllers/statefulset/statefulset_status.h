// StatefulSet status: what a pass over the set's pods counts and writes.
//
// Source: pkg/controller/statefulset/stateful_set_control.go computeReplicaStatus, updateStatus;
// stateful_set_utils.go completeRollingUpdate, inconsistentStatus; stateful_set_status_updater.go.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// --- predicates of pods ---
bool IsCreated(const api::Object& pod);  // the API server keeps it: it has a phase
bool IsRunningAndReady(const api::Object& pod);
bool IsRunningAndAvailable(const api::Object& pod, Duration min_ready, VirtualTime now,
                           const Profile& profile);

struct StatefulSetStatus {
  StatefulSetStatus() = default;
  std::int64_t replicas = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  std::int64_t current = 0;
  std::int64_t updated = 0;
  std::int64_t collisions = 0;
  std::int64_t observed_generation = 0;
  std::string current_revision, update_revision;

  static StatefulSetStatus From(const api::Object& set);
  // As Go encodes it; conditions that somebody wrote are gone.
  value::Value ToTree() const;
  void ClearCounts() { replicas = ready = available = current = updated = 0; }
  void Count(const std::vector<api::Object>& pods, Duration min_ready, VirtualTime now,
             const Profile& profile);
  // Once all pods are updated and ready, the update revision is the current one.
  void CompleteRollingUpdate(const api::Object& set, const Profile& profile);
  // Whether it is worth a write. A collision count alone is not, nor an older generation.
  bool DiffersFrom(const api::Object& set) const;
};

}  // namespace ksim::controllers
