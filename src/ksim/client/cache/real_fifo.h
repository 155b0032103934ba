// RealFIFO: every change is one entry, in the order it came, and none is ever merged or dropped.
// With atomic events a Replace is one entry with the whole list, a Resync one entry without, and
// the cache finds out what they mean; without (the variant realfifo.replace) they are entries of
// their own for each object. Atomic is what 1.36 has, one by one what was between the profiles.
//
// The transform sees what comes from the server: neither tombstones nor resyncs.
//
// Source: client-go tools/cache/the_real_fifo.go at v0.36. CLIENT-46..52, 54.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "ksim/client/cache/delta_queue.h"
#include "ksim/client/cache/key_view.h"
#include "ksim/sim/internal/fifo.h"

namespace ksim::client {

class RealFifo : public DeltaQueue {
 public:
  // `known` outlives the queue; only one that is not atomic asks it.
  RealFifo(const Indexer* known, bool atomic) : known_(known), atomic_(atomic) {}

  bool Add(const api::Object& object, sim::Origin origin) override;
  bool Update(const api::Object& object, sim::Origin origin) override;
  bool Delete(const api::Object& object, sim::Origin origin) override;
  void Bookmark(std::int64_t resource_version, sim::Origin origin) override;
  bool Replace(std::vector<api::Object> items, std::int64_t resource_version,
               sim::Origin origin) override;
  bool Resync(sim::Origin origin) override;
  std::unique_ptr<Popped> Pop() override;
  void Processed() override;
  bool HasSynced() const override { return populated_ && initial_population_ == 0; }
  std::size_t size() const override { return items_.size(); }

 private:
  bool PushNew(DeltaType type, const api::Object& object, sim::Origin origin);
  void Push(Delta delta) { items_.Push(NewEntry(std::move(delta))); }
  bool ReplaceAll(std::vector<api::Object> items, std::int64_t resource_version,
                  sim::Origin origin);
  // reconcileReplacement: tombstones for what is queued or known and not listed, then the list.
  bool ReplaceOneByOne(std::vector<api::Object> items, sim::Origin origin);
  void DeleteMissing(const KeySet<const api::Object*>& listed, sim::Origin origin);

  const Indexer* known_;
  bool atomic_;
  sim::Fifo<std::unique_ptr<Popped>> items_;
  bool populated_ = false;
  std::size_t initial_population_ = 0;
};

}  // namespace ksim::client
