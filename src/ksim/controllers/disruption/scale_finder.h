// ScaleFinder: how many pods the controllers of some pods want. It knows the built-in workloads
// from the caches, and asks the server for the scale of all others.
//
// Source: pkg/controller/disruption/disruption.go (finders, getPodReplicaSet, getPodDeployment,
// getPodStatefulSet, getPodReplicationController, getScaleController, getExpectedScale).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

class ScaleFinder {
 public:
  // Asks for the informers that it reads.
  ScaleFinder(const ControllerContext& context, client::Client& client);

  struct Expected {
    Expected() = default;
    std::int64_t pods = 0;   // the sum of all scales, each controller counted once
    bool unmanaged = false;  // some pods have no controller
    std::string error;       // "" = none
  };
  sim::Task<Expected> Find(std::vector<api::Object> pods);

  std::vector<client::SharedInformer*> informers() const;

 private:
  struct Scale {
    Scale() = default;
    Scale(std::string_view u, std::int64_t r) : uid(u), replicas(r) {}
    std::string uid;
    std::int64_t replicas = 0;
  };
  // A controller that a cache knows.
  std::optional<Scale> FromCaches(std::string_view ns, const api::OwnerReference& owner) const;
  // The Deployment above a ReplicaSet counts in its place, if there is one.
  std::optional<Scale> OfReplicaSet(std::string_view ns, const api::OwnerReference& owner) const;
  sim::Task<std::optional<Scale>> FromServer(std::string ns, api::OwnerReference owner,
                                             std::string* error);

  client::Environment& env_;
  client::Client& client_;
  client::SharedInformer& replication_controllers_;
  client::SharedInformer& replica_sets_;
  client::SharedInformer& deployments_;
  client::SharedInformer& stateful_sets_;
};

}  // namespace ksim::controllers
