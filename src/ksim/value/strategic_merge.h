// Applies a strategic merge patch to a document, or merges two patches into one (mergeMap of
// apimachinery pkg/util/strategicpatch/patch.go).
#pragma once
#include "absl/status/statusor.h"
#include "ksim/value/patch_schema.h"
#include "ksim/value/value.h"

namespace ksim::value {

struct MergeOptions {
  // On: `original` is a document. Off: it is a patch too, and directives and nulls stay.
  bool merge_parallel_list = true;
  bool ignore_unmatched_nulls = true;
};

// `original` null counts as {}.
absl::StatusOr<Value> MergeMap(const Value& original, const Value& patch, const PatchSchema* type,
                               const MergeOptions& options);

}  // namespace ksim::value
