// Applying a strategic merge patch (mergeMap of apimachinery pkg/util/strategicpatch/patch.go), and
// merging two of them into one.
#pragma once
#include "absl/status/statusor.h"
#include "ksim/value/patch_schema.h"
#include "ksim/value/value.h"

namespace ksim::value {

struct MergeOptions {
  // Applying to a document. Off: `original` is a patch, too, and directives and nulls stay.
  bool merge_parallel_list = true;
  bool ignore_unmatched_nulls = true;
};

// `original` null counts as {}.
absl::StatusOr<Value> MergeMap(const Value& original, const Value& patch, const PatchSchema* type,
                               const MergeOptions& options);

}  // namespace ksim::value
