// StoreTest: short commands and readable answers for the tests of the store.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/base/status.h"
#include "ksim/store/errors.h"
#include "ksim/store/store.h"

namespace ksim::store {

// "a=v1 c2 m3 v2" for a key with its value, create and mod revision and version; " l7" with a
// lease.
inline std::string Show(const KeyValue& kv) {
  if (!kv) return "none";
  if (kv.is_tombstone()) return fmt::format("{} deleted m{}", kv.key(), kv.mod_revision());
  std::string text = fmt::format("{}={} c{} m{} v{}", kv.key(), kv.value().AsString(),
                                 kv.create_revision(), kv.mod_revision(), kv.version());
  if (kv.lease() != 0) text += fmt::format(" l{}", kv.lease());
  return text;
}

inline std::string Show(const std::vector<KeyValue>& kvs) {
  std::string text;
  for (const KeyValue& kv : kvs) text += (text.empty() ? "" : ", ") + Show(kv);
  return text;
}

inline std::string Keys(const std::vector<KeyValue>& kvs) {
  std::string text;
  for (const KeyValue& kv : kvs) text += (text.empty() ? "" : " ") + std::string(kv.key());
  return text;
}

// "3 etcdserver: key is not provided", or "ok".
inline std::string Show(const absl::Status& status) {
  if (status.ok()) return "ok";
  const StoreError e = ErrorOf(status);
  return fmt::format("{} {}", e.grpc_code, e.message);
}
template <class T>
std::string ErrorIn(const absl::StatusOr<T>& result) {
  return Show(result.status());
}

// "@5 put a=.. , delete b": header revision and events; created, canceled and progress are named.
inline std::string Show(const WatchEvent& e) {
  std::string text = Show(e.kv);
  if (e.prev_kv) text += " (was " + Show(e.prev_kv) + ")";
  return text;
}
inline std::string Show(const WatchResponse& r) {
  std::string text = fmt::format("w{} @{}", r.watch_id, r.revision);
  if (r.created) text += " created";
  if (r.canceled) text += " canceled";
  if (r.fragment) text += " fragment";
  if (r.compact_revision != 0) text += fmt::format(" compacted {}", r.compact_revision);
  if (!r.cancel_reason.empty()) text += fmt::format(": {}", r.cancel_reason);
  if (r.is_progress()) text += " progress";
  std::string separator = ": ";
  for (const WatchEvent& e : r.events) {
    text += separator + Show(e);
    separator = ", ";
  }
  return text;
}

inline value::Value Bytes(std::string_view s) { return value::Value::String(s); }
inline const std::string kAll(1, '\0');  // as key and range_end: every key

class StoreTest : public testing::Test {
 protected:
  Revision Put(const std::string& key, std::string_view value = "v", LeaseId lease = 0) {
    PutRequest r(key, Bytes(value));
    r.lease = lease;
    const absl::StatusOr<PutResponse> response = store.Put(r);
    EXPECT_TRUE(response.ok()) << Show(response.status());
    return response.ok() ? response->header.revision : -1;
  }
  Revision Delete(const std::string& key, const std::string& end = {}) {
    const absl::StatusOr<DeleteRangeResponse> response =
        store.DeleteRange(DeleteRangeRequest(key, end));
    EXPECT_TRUE(response.ok()) << Show(response.status());
    return response.ok() ? response->header.revision : -1;
  }
  std::string Compact(Revision revision) {
    return ErrorIn(store.Compact(CompactRequest(revision, WriteOrigin())));
  }
  std::string Get(const std::string& key, Revision revision = 0) {
    RangeRequest r(key);
    r.revision = revision;
    const absl::StatusOr<RangeResponse> response = store.Range(r);
    if (!response.ok()) return Show(response.status());
    return response->kvs.empty() ? "none" : Show(response->kvs[0]);
  }
  // All keys as Show prints them.
  std::string State(Revision revision = 0) {
    RangeRequest r(kAll, kAll);
    r.revision = revision;
    const absl::StatusOr<RangeResponse> response = store.Range(r);
    return response.ok() ? Show(response->kvs) : Show(response.status());
  }
  void Grant(LeaseId id, std::int64_t ttl) {
    EXPECT_TRUE(store.LeaseGrant(LeaseGrantRequest(id, ttl), now).ok());
  }
  void Advance(Duration d) {
    now = now + d;
    store.ExpireLeases(now);
  }
  // Takes the responses that the stream holds, each as a string.
  static std::vector<std::string> Drain(WatchStream& stream) {
    std::vector<std::string> texts;
    while (std::optional<WatchResponse> r = stream.Next()) texts.push_back(Show(*r));
    return texts;
  }

  Store store;
  VirtualTime now;
};

}  // namespace ksim::store
