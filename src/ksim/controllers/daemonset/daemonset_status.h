// The status of a DaemonSet: on how many nodes it should run, runs, runs wrongly, is ready,
// available and up to date.
//
// Source: pkg/controller/daemon/daemon_controller.go updateDaemonSetStatus, storeDaemonSetStatus.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/client/client.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/daemonset/daemon_pods.h"
#include "ksim/sim/task.h"

namespace ksim::controllers {

struct DaemonSetCounts {
  DaemonSetCounts() = default;
  std::int64_t desired = 0;       // desiredNumberScheduled
  std::int64_t current = 0;       // currentNumberScheduled
  std::int64_t misscheduled = 0;  // numberMisscheduled
  std::int64_t ready = 0;         // numberReady
  std::int64_t updated = 0;       // updatedNumberScheduled
  std::int64_t available = 0;     // numberAvailable
  std::int64_t unavailable() const { return desired - available; }
  friend bool operator==(const DaemonSetCounts&, const DaemonSetCounts&) = default;
};

// Where a node has several pods the first in the order of SortDaemonPods counts.
DaemonSetCounts CountDaemonPods(const api::Object& daemon_set,
                                const std::vector<api::Object>& nodes, PodsByNode pods,
                                std::string_view hash, VirtualTime now, const Profile& profile);

// Writes the counts unless the status has them. After an error it reads the DaemonSet and writes
// once more. `observed`: the sync has acted on this generation. Answers with the object as written;
// an empty one if there was nothing to write.
sim::Task<client::Client::ObjectResult> StoreDaemonSetStatus(client::Client& client,
                                                             const api::ResourceInfo* resource,
                                                             api::Object daemon_set,
                                                             DaemonSetCounts counts, bool observed);

}  // namespace ksim::controllers
