// WriteContext: the origin of a write to etcd and how it is made. Preconditions: which object a
// write is meant for.
//
// Source: apiserver pkg/storage/interfaces.go Preconditions;
// pkg/registry/generic/registry/dryrun.go.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "ksim/api/request.h"
#include "ksim/apiserver/fault_hooks.h"
#include "ksim/base/internal/shared_text.h"
#include "ksim/sim/simulation.h"
#include "ksim/store/etcd_client.h"

namespace ksim::apiserver {

struct Preconditions {
  Preconditions() = default;
  std::optional<SharedText> uid;
  std::optional<SharedText> resource_version;
};

// Where a fault takes hold of the writes of a request on their way to etcd.
struct CommitHook {
  CommitHook() = default;
  const std::function<CommitFault(const api::Request&)>* ask = nullptr;  // null or empty: no fault
  const api::Request* request = nullptr;
  sim::Simulation* sim = nullptr;
};

struct WriteContext {
  WriteContext() = default;
  store::WriteOrigin origin;
  bool dry_run = false;
  std::int64_t ttl = 0;             // seconds; 0: the object never expires
  const bool* abandoned = nullptr;  // nothing is written once it is true (API-09); may be null
  CommitHook hook;
};

}  // namespace ksim::apiserver
