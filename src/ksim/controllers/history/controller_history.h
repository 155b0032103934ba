// ControllerHistory: the ControllerRevisions of one workload controller as it lists, writes, adopts
// and releases them.
//
// Source: pkg/controller/history/controller_history.go realHistory.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/sim/task.h"
#include "ksim/value/selector.h"

namespace ksim::controllers {

class ControllerHistory {
 public:
  // `skips_sync`: the variant sts.revisionSync: the owner's controller begins before the cache is
  // full, and each name that is taken is a collision.
  ControllerHistory(client::Client& client, client::SharedInformer& revisions,
                    bool skips_sync = false)
      : client_(client), revisions_(revisions), skips_sync_(skips_sync) {}
  bool skips_sync() const { return skips_sync_; }
  // Before the informer starts.
  void AddIndex();

  // Those in the cache that match, of this owner first and then of none, each in key order.
  std::vector<api::Object> List(const api::Object& owner,
                                const value::LabelSelector& selector) const;
  // Creates the revision under the name of its hash. A revision of that name with the same data
  // takes its place, whoever owns it; with other data it is a collision, which counts: the next
  // name is tried. `collisions` outlives the call.
  sim::Task<client::Client::ObjectResult> Create(api::Object owner, api::Object revision,
                                                 std::int64_t* collisions);
  // The revision with that number. After a conflict upstream forgets which revision it was about,
  // and the sync fails; so does this.
  sim::Task<client::Client::ObjectResult> SetNumber(api::Object revision, std::int64_t number);
  // nullopt: done.
  sim::Task<std::optional<api::Status>> Delete(api::Object revision);
  // The revision must be nobody's.
  sim::Task<client::Client::ObjectResult> Adopt(api::Object owner, api::Object revision);
  // nullopt when released, gone, or no longer ours (404, 422).
  sim::Task<std::optional<api::Status>> Release(api::Object owner, api::Object revision);

 private:
  client::Client& client_;
  client::SharedInformer& revisions_;
  bool skips_sync_;
};

}  // namespace ksim::controllers
