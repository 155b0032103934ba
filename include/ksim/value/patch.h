// Patches: JSON merge patch (RFC 7386), JSON patch (RFC 6902), strategic merge patch, and the
// patches that clients compute.
#pragma once
#include "absl/status/statusor.h"
#include "ksim/value/patch_schema.h"
#include "ksim/value/value.h"

namespace ksim::value {

// RFC 7386: null deletes, objects merge, all else replaces. Nulls inside new objects vanish.
Value ApplyMergePatch(const Value& target, const Value& patch);
// The merge patch that turns `original` into `modified`; {} if they are equal.
Value CreateMergePatch(const Value& original, const Value& modified);

// RFC 6902: add, remove, replace, move, copy, test. Upstream: evanphx/json-patch as the API server
// uses it (handlers/patch.go).
// InvalidArgument: the patch is not a list of operations (API answers 400).
// FailedPrecondition: an operation failed, with upstream's text (422).
// ResourceExhausted: more than 10000 operations (413).
absl::StatusOr<Value> ApplyJsonPatch(const Value& target, const Value& patch);

// Strategic merge patch as apimachinery's pkg/util/strategicpatch: lists with a merge key merge by
// it; $patch: delete/replace, $setElementOrder/<list>, $deleteFromPrimitiveList/<list>,
// $retainKeys. The schema says which lists merge. InvalidArgument with upstream's text for a bad
// patch; Unimplemented without a schema (null).
absl::StatusOr<Value> ApplyStrategicMergePatch(const Value& original, const Value& patch,
                                               const PatchSchema* schema);

// The strategic patch that turns `original` into `modified` (CreateTwoWayMergePatch).
absl::StatusOr<Value> CreateTwoWayMergePatch(const Value& original, const Value& modified,
                                             const PatchSchema* schema);

// kubectl apply: from what was applied last (`original`), what is applied (`modified`) and what the
// server has (`current`). Without `overwrite`, a field that others changed differently is
// FailedPrecondition (CreateThreeWayMergePatch).
absl::StatusOr<Value> CreateThreeWayMergePatch(const Value& original, const Value& modified,
                                               const Value& current, const PatchSchema* schema,
                                               bool overwrite = true);

// The same with JSON merge patches, for kinds without a schema (pkg/util/jsonmergepatch).
Value CreateThreeWayJsonMergePatch(const Value& original, const Value& modified,
                                   const Value& current);

}  // namespace ksim::value
