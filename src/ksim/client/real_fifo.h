// RealFIFO with atomic events: every change is one entry, in the order it came, and none is ever
// merged or dropped. A Replace is one entry with the whole list, a Resync one entry without.
//
// Source: client-go tools/cache/the_real_fifo.go at v0.36 (AtomicFIFO). CLIENT-46..52.
#pragma once
#include <deque>
#include <optional>
#include <vector>

#include "ksim/client/delta_queue.h"

namespace ksim::client {

class RealFifo : public DeltaQueue {
 public:
  void Add(const api::Object& object, sim::Origin origin) override;
  void Update(const api::Object& object, sim::Origin origin) override;
  void Delete(const api::Object& object, sim::Origin origin) override;
  void Bookmark(std::int64_t resource_version, sim::Origin origin) override;
  void Replace(std::vector<api::Object> items, std::int64_t resource_version,
               sim::Origin origin) override;
  void Resync(sim::Origin origin) override;
  std::optional<Popped> Pop() override;
  void Processed() override;
  bool HasSynced() const override { return populated_ && initial_population_ == 0; }
  std::size_t size() const override { return items_.size(); }

 private:
  void Push(DeltaType type, const api::Object& object, sim::Origin origin);

  std::deque<Popped> items_;
  bool populated_ = false;
  std::size_t initial_population_ = 0;
};

}  // namespace ksim::client
