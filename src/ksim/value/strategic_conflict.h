// Tells whether two strategic merge patches change the same field differently
// (MergingMapsHaveConflicts of apimachinery pkg/util/strategicpatch/patch.go).
#pragma once
#include "absl/status/statusor.h"
#include "ksim/value/patch_schema.h"
#include "ksim/value/value.h"

namespace ksim::value {

absl::StatusOr<bool> HaveConflicts(const Value& left, const Value& right, const PatchSchema* type);

}  // namespace ksim::value
