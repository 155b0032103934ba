// ControllerOwners: the objects that control others, as they are in the store: found by the uid of
// an owner reference, as the garbage collector does. Only who asks for owners pays for it.
#pragma once
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "ksim/check/commit_history.h"
#include "ksim/check/observation.h"
#include "ksim/value/value.h"

namespace ksim::check {

class ControllerOwners {
 public:
  explicit ControllerOwners(const CommitHistory& history) : history_(history) {}

  void Take(const Observation& commit);
  // Null if the object has no controller (metav1.GetControllerOf), or it is gone.
  const value::Value* OwnerOf(const value::Value& object) const;

 private:
  const CommitHistory& history_;
  absl::flat_hash_map<std::uint64_t, std::uint64_t> by_uid_;  // hash -> object; looked up only
};

}  // namespace ksim::check
