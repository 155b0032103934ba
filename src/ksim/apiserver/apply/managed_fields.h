// ManagedFields: the owners of an object's fields: metadata.managedFields, decoded and encoded.
//
// Source: apimachinery pkg/util/managedfields/internal/managedfields.go, capmanagers.go,
// conflict.go; structured-merge-diff fieldpath/managers.go.
#pragma once
#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/apply/field_set.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

// The identity of a manager. Managers that apply are the same in whatever version they apply.
struct Manager {
  Manager() = default;
  std::string name, subresource;
  bool applies = false;     // operation Apply, else Update
  std::string api_version;  // of updates
  friend auto operator<=>(const Manager&, const Manager&) = default;
};

struct Owned {
  Owned() = default;
  Owned(FieldSet f, std::string v) : fields(std::move(f)), api_version(std::move(v)) {}
  FieldSet fields;
  std::string api_version;
  value::Value time;  // RFC 3339; null if it is not known
};

using Managers = std::map<Manager, Owned>;

// InvalidArgument if an entry makes no sense.
absl::StatusOr<Managers> DecodeManagers(const value::Value& managed_fields);
// By operation, time, name, version and subresource. Null if there are none.
value::Value EncodeManagers(const Managers& managers);
// True for [] and [{}], by which a client asks to forget all managers.
bool ResetsManagers(const value::Value& managed_fields);

// Leaves at most ten managers that update: the oldest become one, "ancient-changes" (API-93).
inline constexpr std::size_t kMaxUpdateManagers = 10;
void CapUpdateManagers(Managers* managers);

struct ApplyConflict {
  ApplyConflict(Manager m, FieldPath p) : manager(std::move(m)), path(std::move(p)) {}
  Manager manager;
  FieldPath path;
};
// 409: Apply failed with 1 conflict: conflict with "x" using apps/v1: .spec.replicas (API-92).
api::Status ApplyConflicts(const std::vector<ApplyConflict>& conflicts);

}  // namespace ksim::apiserver
