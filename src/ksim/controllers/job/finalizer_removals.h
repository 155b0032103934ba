// FinalizerRemovals: the pods whose finalizer the controller has removed and whose cache does not
// show it yet. Such a pod is counted already. A restart forgets them: what counts then is the
// status' uncountedTerminatedPods.
//
// Source: pkg/controller/job/tracking_utils.go uidTrackingExpectations.
#pragma once
#include <string>

#include "absl/container/btree_map.h"
#include "ksim/controllers/job/job_status.h"

namespace ksim::controllers {

class FinalizerRemovals {
 public:
  // The uids that are expected for a Job ("ns/name").
  UidSet Expected(const std::string& job) const {
    const auto it = uids_.find(job);
    return it == uids_.end() ? UidSet() : it->second;
  }
  void Expect(const std::string& job, std::string uid) { uids_[job].insert(std::move(uid)); }
  void Observed(const std::string& job, const std::string& uid) {
    const auto it = uids_.find(job);
    if (it != uids_.end()) it->second.erase(uid);
  }
  void Delete(const std::string& job) { uids_.erase(job); }

 private:
  absl::btree_map<std::string, UidSet> uids_;
};

}  // namespace ksim::controllers
