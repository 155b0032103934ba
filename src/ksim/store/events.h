// The payloads of the events that etcd emits: `commit`, `compact`, and for the API servers' own
// watches on it `watch`, `event` and `deliver`. Other layers emit the last three kinds too, with
// payloads of their own: a reader tells them apart by dynamic_cast.
//
// A trace shows more than these fields (resource, namespace, name, uid, changed paths); that
// follows from the key (object_key.h) and the trees.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ksim/base/internal/shared_text.h"
#include "ksim/sim/bus.h"
#include "ksim/store/key_value.h"
#include "ksim/store/kv_request.h"

namespace ksim::store {

enum class CommitOp : std::uint8_t { kCreate, kUpdate, kDelete };
std::string_view ToString(CommitOp op);  // "create" "update" "delete"

// Emitted by actor `etcd`, one for each change, when its revision is complete.
struct CommitPayload : sim::Payload {
  CommitPayload(KeyValue k, KeyValue p, const WriteOrigin& origin);
  std::uint64_t ContentHash() const override;
  std::string_view key() const { return kv.key(); }
  const std::optional<ObjectParts>& parts() const { return kv.shared_key().parts(); }
  std::int64_t revision() const { return kv.mod_revision(); }
  std::uint32_t sub() const { return kv.sub(); }
  CommitOp op;
  KeyValue kv;    // of a delete: key and mod_revision only
  KeyValue prev;  // what the key was at the revision before; none at a create
  sim::ActorId by;
  std::uint64_t request;  // 0 = none
};

struct CompactPayload : sim::Payload {
  CompactPayload(Revision r, sim::ActorId b) : revision(r), by(b) {}
  std::uint64_t ContentHash() const override;
  Revision revision;
  sim::ActorId by;
};

// Kind `watch`: actor `etcd`, when a watch begins and when it ends.
struct StoreWatchPayload : sim::Payload {
  std::uint64_t ContentHash() const override;
  std::uint64_t stream = 0;
  SharedText client;          // the process that watches; the server is `etcd`
  SharedText key, range_end;  // as in the request
  SharedText known_as;        // what the simulation calls the resource, where the key does not say
  Revision rv = 0;            // start
  SharedText options;         // "prevKv,progressNotify,noPut,noDelete", those given
  bool open = true;
  Revision last_rv = 0;  // close: the highest revision put on the wire
  SharedText reason;     // close: "closed", "compacted", "stopped", or why it was refused
};

enum class StoreEventType : std::uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };
std::string_view ToString(StoreEventType type);  // "ADDED" ... as in an API watch

// Kind `event` (actor `etcd`, put on the wire) and kind `deliver` (actor the client, taken in): one
// for each event of a response, one BOOKMARK for a progress response, one ERROR for one that says
// compacted.
struct StoreEventPayload : sim::Payload {
  std::uint64_t ContentHash() const override;
  std::string_view key() const { return kv ? kv.key() : std::string_view(); }
  std::optional<ObjectParts> parts() const { return kv ? kv.shared_key().parts() : std::nullopt; }
  std::uint64_t stream = 0;
  std::uint64_t n = 0;  // 1, 2, ... in the stream
  StoreEventType type = StoreEventType::kAdded;
  KeyValue kv;                 // none of BOOKMARK and ERROR
  Revision rv = 0;             // the event's; progress: up to which; ERROR: of the compaction
  std::uint64_t response = 0;  // number of the response it came in
};

}  // namespace ksim::store
