// How upstream's controllers write in spite of others who write: two styles, to choose between.
//
//   UpdateWithRetries         changes what the cache has; after a conflict it reads the cache
//                             again, which may still have the same: four tries within 400 ms, and
//                             then the conflict is the caller's.
//   UpdateStatusWithOneRetry  writes the same status once more, onto what a live GET then brings:
//                             it cannot fail for a stale cache, and may overwrite a newer status.
//
// Source: pkg/controller/deployment/util/replicaset_util.go UpdateRSWithRetries,
// pkg/controller/replicaset/replica_set_utils.go updateReplicaSetStatus. CLIENT-102.
#pragma once
#include <functional>
#include <string>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/sim/task.h"
#include "ksim/value/value.h"

namespace ksim::client {

// The object as it is to be. Called again for every try.
using Change = std::function<api::Object(const api::Object& cached)>;

// The object as written, the last conflict, or NotFound if the cache has no such object. `lister`
// outlives the call.
sim::Task<Client::ObjectResult> UpdateWithRetries(Client& client, const Lister& lister,
                                                  const api::ResourceInfo* resource, std::string ns,
                                                  std::string name, Change change);

// A second try follows any error of the first, be it a conflict or not.
sim::Task<Client::ObjectResult> UpdateStatusWithOneRetry(Client& client,
                                                         const api::ResourceInfo* resource,
                                                         api::Object object, value::Value status);

}  // namespace ksim::client
