#include "ksim/store/events.h"

#include <utility>

#include "ksim/base/hash.h"

namespace ksim::store {
namespace {

CommitOp OpOf(const KeyValue& kv) {
  if (kv.is_tombstone()) return CommitOp::kDelete;
  return kv.is_create() ? CommitOp::kCreate : CommitOp::kUpdate;
}

void AddVersion(Hasher* h, const KeyValue& kv) {
  h->Add(static_cast<bool>(kv));
  if (!kv) return;
  h->Add(kv.create_revision()).Add(kv.mod_revision()).Add(kv.version()).Add(kv.lease());
  h->Add(kv.value().Hash());
}

}  // namespace

std::string_view ToString(CommitOp op) {
  switch (op) {
    case CommitOp::kCreate:
      return "create";
    case CommitOp::kUpdate:
      return "update";
    case CommitOp::kDelete:
      return "delete";
  }
  return "";
}

CommitPayload::CommitPayload(KeyValue k, KeyValue p, const WriteOrigin& origin)
    : op(OpOf(k)), kv(std::move(k)), prev(std::move(p)), by(origin.by), request(origin.request) {}

std::uint64_t CommitPayload::ContentHash() const {
  Hasher h;
  h.Add(static_cast<std::uint16_t>(op)).Add(key()).Add(sub());
  AddVersion(&h, kv);
  AddVersion(&h, prev);
  return h.Add(by.name()).Add(request).Digest();
}

std::uint64_t CompactPayload::ContentHash() const {
  Hasher h;
  return h.Add(revision).Add(by.name()).Digest();
}

std::uint64_t StoreWatchPayload::ContentHash() const {
  Hasher h;
  h.Add(stream).Add(client).Add(key).Add(range_end).Add(rv).Add(options).Add(open);
  return h.Add(last_rv).Add(reason).Digest();
}

std::string_view ToString(StoreEventType type) {
  switch (type) {
    case StoreEventType::kAdded:
      return "ADDED";
    case StoreEventType::kModified:
      return "MODIFIED";
    case StoreEventType::kDeleted:
      return "DELETED";
    case StoreEventType::kBookmark:
      return "BOOKMARK";
    case StoreEventType::kError:
      return "ERROR";
  }
  return "";
}

std::uint64_t StoreEventPayload::ContentHash() const {
  Hasher h;
  h.Add(stream).Add(n).Add(static_cast<std::uint16_t>(type)).Add(key());
  return h.Add(rv).Add(response).Digest();
}

}  // namespace ksim::store
