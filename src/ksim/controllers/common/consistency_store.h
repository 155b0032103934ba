// ConsistencyStore: the gate before a sync that keeps a controller from acting on a cache older
// than its own last writes (StaleControllerConsistency, 1.36; the variant rs.expectations:
// ownWriteRV). It remembers, per owner and resource, the highest resource version the controller
// has written, and compares it with what the informer has taken in.
//
// Source: pkg/controller/util/consistency/consistency.go. CTRL-C-08.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"

namespace ksim::controllers {

class ConsistencyStore {
 public:
  // Gives the informer store's last synced resource version for a resource; 0 = unknown.
  using StoreVersion = std::function<std::int64_t(std::string_view resource)>;
  ConsistencyStore(bool enabled, StoreVersion store_version)
      : enabled_(enabled), store_version_(std::move(store_version)) {}

  // A write of `resource` ("replicasets.apps") on behalf of the owner ("ns/name", uid) was answered
  // with `rv`.
  void WroteAt(const std::string& owner, std::string_view owner_uid, std::string_view resource,
               std::int64_t rv);
  // nullopt: every recorded write has been taken in; then the record is dropped. Else what has not.
  // An unknown store version counts as new enough.
  std::optional<std::string> NotReady(const std::string& owner);
  // The owner is gone. An empty uid matches any.
  void Clear(const std::string& owner, std::string_view owner_uid);

 private:
  struct Record {
    std::string uid;
    absl::btree_map<std::string, std::int64_t> written;  // by resource
  };
  bool enabled_;
  StoreVersion store_version_;
  absl::btree_map<std::string, Record> records_;
};

}  // namespace ksim::controllers
