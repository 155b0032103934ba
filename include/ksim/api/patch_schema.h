// The patch schemas of the built-in kinds: which of their lists merge, and by which key.
//
// Source: the patchStrategy and patchMergeKey tags of staging/src/k8s.io/api and apimachinery
// pkg/apis/meta/v1/types.go.
#pragma once
#include <string_view>

#include "ksim/value/patch_schema.h"

namespace ksim::api {

// Null for a kind that has none: the server answers a strategic merge patch of a custom resource
// with 415 (API-86).
const value::PatchSchema* FindPatchSchema(std::string_view api_version, std::string_view kind);

}  // namespace ksim::api
