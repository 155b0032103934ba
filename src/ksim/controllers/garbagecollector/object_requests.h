// ObjectRequests: what the garbage collector asks the API server for, by an object's identity.
//
// Upstream asks for metadata alone; ksim's clients share whole objects with the server, so that
// nothing is saved by that.
//
// Source: pkg/controller/garbagecollector/operations.go, patch.go. CTRL-GC-14..17.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/client/client.h"
#include "ksim/client/core/backoff.h"
#include "ksim/client/informer.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/garbagecollector/discovered_kinds.h"
#include "ksim/controllers/garbagecollector/graph.h"
#include "ksim/sim/task.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// Outcome: the end of an attempt. Upstream's errors, by what follows from them.
struct Outcome {
  enum class Kind : std::uint8_t {
    kDone,
    kNotThere,           // enqueuedVirtualDeleteEventErr: the node has to leave the graph
    kOwnerOfWrongScope,  // namespacedOwnerOfClusterScopedObjectErr: no use in trying again
    kFailed,             // to be tried again
  };
  Outcome() = default;
  explicit Outcome(Kind k, std::string m = {}) : kind(k), message(std::move(m)) {}
  static Outcome Failed(std::string why) { return Outcome(Kind::kFailed, std::move(why)); }
  // Done, or failed with the status' message.
  static Outcome Of(const client::Client::ObjectResult& result);
  bool ok() const { return kind == Kind::kDone; }

  Kind kind = Kind::kDone;
  std::string message;
};

class ObjectRequests {
 public:
  // The cache of a resource's monitor; null: it has none.
  using CacheOf = std::function<const client::Lister*(const api::ResourceInfo*)>;
  struct Answer {
    Answer() = default;
    explicit Answer(Outcome o) : outcome(std::move(o)) {}
    Outcome outcome;
    api::Object object;  // empty unless the outcome is good
  };

  ObjectRequests(const ControllerContext& context, client::Client& client, DiscoveredKinds& kinds,
                 CacheOf cache_of);

  // Whether the object of that kind is looked for where it cannot be: an object of cluster scope in
  // the namespace of its dependent (the variant gc.scope: childNamespace). The API server has no
  // such path, and answers 404.
  bool LooksInWrongScope(const api::ResourceInfo& resource, const std::string& ns) const;

  sim::Task<Answer> Get(ObjectIdentity item);
  // GET of an owner of an object in namespace `ns`.
  sim::Task<client::Client::ObjectResult> GetOwner(const api::ResourceInfo* resource,
                                                   std::string ns, std::string name);
  // Deletes the object if it still is what `latest` says.
  sim::Task<Outcome> Delete(ObjectIdentity item, api::Object latest, std::string policy);
  sim::Task<Outcome> RemoveFinalizer(ObjectIdentity item, std::string finalizer);
  // Takes the references to these owners away; makes references no longer block.
  sim::Task<client::Client::ObjectResult> DropOwners(NodePtr node,
                                                     std::vector<std::string> owner_uids);
  sim::Task<client::Client::ObjectResult> UnblockOwners(NodePtr node);

 private:
  using ObjectResult = client::Client::ObjectResult;
  sim::Task<ObjectResult> GetMetadata(ObjectIdentity item);
  sim::Task<ObjectResult> Patch(ObjectIdentity item, value::Value patch, api::PatchType type);
  sim::Task<ObjectResult> SendDelete(const api::ResourceInfo* resource, ObjectIdentity item,
                                     std::int64_t resource_version, std::string policy);
  // One try of RemoveFinalizer; an empty object: there was nothing to do.
  sim::Task<ObjectResult> TryToRemoveFinalizer(ObjectIdentity item, std::string finalizer);

  client::Environment& env_;
  client::Client& client_;
  DiscoveredKinds& kinds_;
  CacheOf cache_of_;
  const Profile& profile_;
  client::JitterSource jitter_;
};

}  // namespace ksim::controllers
