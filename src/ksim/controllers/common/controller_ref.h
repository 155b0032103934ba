// Claiming: which of the pods in sight belong to a controller. Owned and matching pods are kept,
// owned ones that no longer match are released, matching orphans are adopted, all through PATCHes
// that carry the pod's uid.
//
// Source: pkg/controller/controller_ref_manager.go PodControllerRefManager, ClaimObject,
// RecheckDeletionTimestamp.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/client/client.h"
#include "ksim/controllers/common/pod_control.h"
#include "ksim/sim/task.h"
#include "ksim/value/selector.h"

namespace ksim::controllers {

// The PATCH bodies; exposed for tests.
value::Value AdoptPatch(const api::Object& owner, const api::Object& pod);
value::Value ReleasePatch(const api::Object& owner, const api::Object& pod);

class PodClaimer {
 public:
  // `resource` is the owner's; `client` reads it live before the first adoption of the sync.
  PodClaimer(client::Client& client, PodControl& pods, const api::ResourceInfo* resource,
             api::Object owner, value::LabelSelector selector);

  struct Claimed {
    Claimed() = default;
    std::vector<api::Object> pods;     // in the order given; adopted ones as they were listed
    std::vector<api::Object> adopted;  // as the PATCH answered
    std::optional<api::Status> error;  // what those say that failed; all were tried
  };
  sim::Task<Claimed> Claim(std::vector<api::Object> candidates);

 private:
  // Adopts, or says why not. NotFound counts as "not claimed", without an error.
  sim::Task<client::Client::ObjectResult> Adopt(api::Object pod);
  // nullopt when released, gone, or no longer ours (404, 422).
  sim::Task<std::optional<api::Status>> Release(api::Object pod);
  // One live GET a sync: the owner must be the same object and not being deleted.
  sim::Task<std::optional<api::Status>> CanAdopt();

  client::Client& client_;
  PodControl& pods_;
  const api::ResourceInfo* resource_;
  api::Object owner_;
  value::LabelSelector selector_;
  bool asked_ = false;
  std::optional<api::Status> refusal_;
};

}  // namespace ksim::controllers
