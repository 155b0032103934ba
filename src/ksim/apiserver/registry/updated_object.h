// UpdatedObject: the state that a client wants an object to have, given the stored one: the body of
// a PUT, or the result of a patch.
//
// Source: apiserver pkg/registry/rest/update.go UpdatedObjectInfo, endpoints/handlers/patch.go.
#pragma once
#include <cstdint>
#include <utility>

#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/write_context.h"

namespace ksim::apiserver {

// `tree` without resourceVersion, which is beside it; 0: none was given.
struct WantedObject {
  WantedObject() = default;
  WantedObject(value::Value t, std::int64_t rv) : tree(std::move(t)), resource_version(rv) {}
  value::Value tree;
  std::int64_t resource_version = 0;
};

class UpdatedObject {
 public:
  virtual ~UpdatedObject() = default;
  // Checked before anything else (a PUT's uid, API-78).
  virtual Preconditions preconditions() const { return Preconditions(); }
  // Makes the whole object, decoded and defaulted; `existing` may be empty. Called again for
  // every state found.
  virtual api::Result<WantedObject> Make(const api::Object& existing) = 0;
};

}  // namespace ksim::apiserver
