// WriteContext: the origin of a write to etcd and how it is made. Preconditions: which object a
// write is meant for.
//
// Source: apiserver pkg/storage/interfaces.go Preconditions;
// pkg/registry/generic/registry/dryrun.go.
#pragma once
#include <cstdint>
#include <optional>

#include "ksim/base/internal/shared_text.h"
#include "ksim/store/etcd_client.h"

namespace ksim::apiserver {

struct Preconditions {
  Preconditions() = default;
  std::optional<SharedText> uid;
  std::optional<SharedText> resource_version;
};

struct WriteContext {
  WriteContext() = default;
  store::WriteOrigin origin;
  bool dry_run = false;
  std::int64_t ttl = 0;             // seconds; 0: the object never expires
  const bool* abandoned = nullptr;  // nothing is written once it is true (API-09); may be null
};

}  // namespace ksim::apiserver
