// Delta: one change on its way from the reflector to the cache, and Popped: what a queue hands out.
//
// Source: client-go tools/cache/delta_fifo.go (Delta, DeltaType), the_real_fifo.go
// (ReplacedAllInfo, SyncAllInfo, BookmarkInfo). CLIENT-38, CLIENT-72.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "ksim/api/object.h"
#include "ksim/sim/simulation.h"

namespace ksim::client {

enum class DeltaType : std::uint8_t { kAdded, kUpdated, kDeleted, kReplaced, kSync };

struct Delta {
  Delta() = default;
  Delta(DeltaType t, api::Object o, sim::Origin from, bool is_tombstone = false)
      : type(t), tombstone(is_tombstone), object(std::move(o)), origin(from) {}
  DeltaType type = DeltaType::kAdded;
  bool tombstone = false;  // a deletion nobody saw: `object` is the last state known
  api::Object object;
  sim::Origin origin;
};

using Deltas = absl::InlinedVector<Delta, 1>;

struct Popped {
  enum class Kind : std::uint8_t { kDeltas, kReplacedAll, kSyncAll, kBookmark };
  Popped() = default;
  const api::Object& object() const { return deltas.front().object; }  // kDeltas
  Kind kind = Kind::kDeltas;
  Deltas deltas;                      // kDeltas: of one object, oldest first
  std::vector<api::Object> objects;   // kReplacedAll: the whole list, in list order
  std::int64_t resource_version = 0;  // kReplacedAll, kBookmark
  sim::Origin origin;                 // all but kDeltas
  bool is_in_initial_list = false;
};

}  // namespace ksim::client
