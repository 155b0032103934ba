// The `changed` field of a commit: what changed in the object, place by place, and back.
//   [{"path":"spec.replicas","old":2,"new":5}, {"path":"metadata.uid","new":"..."}]
// Without "old" the place was not there before, without "new" it is not there any more.
#pragma once
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/value/diff.h"
#include "ksim/value/value.h"

namespace ksim::trace {

value::Value ChangesToTree(const std::vector<value::Change>& changes);
absl::StatusOr<std::vector<value::Change>> ChangesFromTree(const value::Value& list);

}  // namespace ksim::trace
