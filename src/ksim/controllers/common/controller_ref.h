// Claiming: which of the pods (or ReplicaSets) in sight belong to a controller. Owned and matching
// ones are kept, owned ones that no longer match are released, matching orphans are adopted, all
// through PATCHes that carry the object's uid.
//
// Source: pkg/controller/controller_ref_manager.go PodControllerRefManager,
// ReplicaSetControllerRefManager, ClaimObject, RecheckDeletionTimestamp.
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

class ObjectClaimer {
 public:
  // Claims objects of the kind `claimed` for `owner`, whose resource is `resource`; `client` reads
  // the owner live before the first adoption of the sync.
  ObjectClaimer(client::Client& client, const api::ResourceInfo* claimed,
                const api::ResourceInfo* resource, api::Object owner,
                value::LabelSelector selector);

  struct Claimed {
    Claimed() = default;
    std::vector<api::Object> objects;  // in the order given; adopted ones as they were listed
    std::vector<api::Object> adopted;  // as the PATCH answered
    std::optional<api::Status> error;  // what those say that failed; all were tried
  };
  sim::Task<Claimed> Claim(std::vector<api::Object> candidates);

 private:
  // Adopts, or says why not. NotFound counts as "not claimed", without an error.
  sim::Task<client::Client::ObjectResult> Adopt(api::Object object);
  // nullopt when released, gone, or no longer ours (404, 422).
  sim::Task<std::optional<api::Status>> Release(api::Object object);
  // One live GET a sync: the owner must be the same object and not being deleted.
  sim::Task<std::optional<api::Status>> CanAdopt();

  client::Client& client_;
  const api::ResourceInfo* claimed_;
  const api::ResourceInfo* resource_;
  api::Object owner_;
  value::LabelSelector selector_;
  bool asked_ = false;
  std::optional<api::Status> refusal_;
};

// The same for pods.
class PodClaimer {
 public:
  // `resource` is the owner's.
  PodClaimer(client::Client& client, PodControl& pods, const api::ResourceInfo* resource,
             api::Object owner, value::LabelSelector selector);

  struct Claimed {
    Claimed() = default;
    std::vector<api::Object> pods;  // as ObjectClaimer::Claimed has them
    std::vector<api::Object> adopted;
    std::optional<api::Status> error;
  };
  sim::Task<Claimed> Claim(std::vector<api::Object> candidates);

 private:
  ObjectClaimer claimer_;
};

}  // namespace ksim::controllers
