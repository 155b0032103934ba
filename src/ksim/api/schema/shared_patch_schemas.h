// Patch schemas that several kinds share: which lists merge, and by which key. Those of one kind
// are in its file under kinds/.
//
// Source: the patchStrategy and patchMergeKey tags of staging/src/k8s.io/api and apimachinery
// pkg/apis/meta/v1/types.go.
#pragma once
#include <string_view>

#include "ksim/value/patch_schema.h"

namespace ksim::api {

// Fields: a list that merges by a key; the same, whose patches name all keys that stay; a list of
// scalars that merges as a set; an object that has such fields.
constexpr value::PatchField MergeList(std::string_view name, std::string_view key,
                                      const value::PatchSchema* type = nullptr) {
  return {.name = name, .type = type, .merge = true, .merge_key = key};
}
constexpr value::PatchField RetainKeysList(std::string_view name, std::string_view key) {
  return {.name = name, .merge = true, .merge_key = key, .retain_keys = true};
}
constexpr value::PatchField MergeSet(std::string_view name) {
  return {.name = name, .merge = true};
}
constexpr value::PatchField Nested(std::string_view name, const value::PatchSchema* type) {
  return {.name = name, .type = type};
}

// metadata, and objects with nothing else that merges.
inline constexpr value::PatchField kMetaPatchFields[] = {MergeList("ownerReferences", "uid"),
                                                         MergeSet("finalizers")};
inline constexpr value::PatchSchema kMetaPatch{kMetaPatchFields};
inline constexpr value::PatchField kMetaOnlyPatchFields[] = {Nested("metadata", &kMetaPatch)};
inline constexpr value::PatchSchema kMetaOnlyPatch{kMetaOnlyPatchFields};

// status.conditions, and objects with metadata and these.
inline constexpr value::PatchField kConditionsPatchFields[] = {MergeList("conditions", "type")};
inline constexpr value::PatchSchema kConditionsPatch{kConditionsPatchFields};
inline constexpr value::PatchField kStatusConditionsPatchFields[] = {
    Nested("metadata", &kMetaPatch), Nested("status", &kConditionsPatch)};
inline constexpr value::PatchSchema kStatusConditionsPatch{kStatusConditionsPatchFields};

// The spec of a pod, and a pod template.
inline constexpr value::PatchField kContainerPatchFields[] = {
    MergeList("ports", "containerPort"),
    MergeList("env", "name"),
    MergeList("volumeMounts", "mountPath"),
    MergeList("volumeDevices", "devicePath"),
};
inline constexpr value::PatchSchema kContainerPatch{kContainerPatchFields};
inline constexpr value::PatchField kPodSpecPatchFields[] = {
    RetainKeysList("volumes", "name"),
    MergeList("initContainers", "name", &kContainerPatch),
    MergeList("containers", "name", &kContainerPatch),
    MergeList("ephemeralContainers", "name", &kContainerPatch),
    MergeList("imagePullSecrets", "name"),
    MergeList("hostAliases", "ip"),
    MergeList("topologySpreadConstraints", "topologyKey"),
    MergeList("schedulingGates", "name"),
    RetainKeysList("resourceClaims", "name"),
    MergeList("evictionResponders", "name"),
};
inline constexpr value::PatchSchema kPodSpecPatch{kPodSpecPatchFields};
inline constexpr value::PatchField kTemplatePatchFields[] = {Nested("metadata", &kMetaPatch),
                                                             Nested("spec", &kPodSpecPatch)};
inline constexpr value::PatchSchema kTemplatePatch{kTemplatePatchFields};

// A workload: spec.template and status.conditions.
inline constexpr value::PatchField kWorkloadSpecPatchFields[] = {
    Nested("template", &kTemplatePatch)};
inline constexpr value::PatchSchema kWorkloadSpecPatch{kWorkloadSpecPatchFields};
inline constexpr value::PatchField kWorkloadPatchFields[] = {Nested("metadata", &kMetaPatch),
                                                             Nested("spec", &kWorkloadSpecPatch),
                                                             Nested("status", &kConditionsPatch)};
inline constexpr value::PatchSchema kWorkloadPatch{kWorkloadPatchFields};

}  // namespace ksim::api
