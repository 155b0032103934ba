#include "ksim/api/patch_schema.h"

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/schema/shared_patch_schemas.h"

namespace ksim::api {

using value::PatchSchema;

namespace {

struct OtherKind {
  std::string_view group;
  std::string_view kind;
  const PatchSchema* schema;
};

constexpr value::PatchField kComponentStatusPatchFields[] = {Nested("metadata", &kMetaPatch),
                                                             MergeList("conditions", "type")};
constexpr PatchSchema kComponentStatusPatch{kComponentStatusPatchFields};

// Kinds that kubectl knows and that ksim does not serve as objects.
constexpr OtherKind kOtherKinds[] = {
    {"", "Binding", &kMetaOnlyPatch},
    {"", "ComponentStatus", &kComponentStatusPatch},
    {"apiregistration.k8s.io", "APIService", &kStatusConditionsPatch},
    {"autoscaling", "Scale", &kMetaOnlyPatch},
    {"flowcontrol.apiserver.k8s.io", "FlowSchema", &kStatusConditionsPatch},
    {"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", &kStatusConditionsPatch},
};

}  // namespace

const PatchSchema* FindPatchSchema(std::string_view api_version, std::string_view kind) {
  const std::string_view group = GroupOf(api_version);
  for (const KindSpec* const spec : KindSpecs()) {
    if (spec->kind != kind || spec->group != group) continue;
    return spec->patch_schema != nullptr ? spec->patch_schema : &kMetaOnlyPatch;
  }
  for (const OtherKind& other : kOtherKinds) {
    if (other.kind == kind && other.group == group) return other.schema;
  }
  return nullptr;
}

}  // namespace ksim::api
