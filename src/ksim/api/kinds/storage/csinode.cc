// The kind CSINode of storage.k8s.io/v1.
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/schema/shared_patch_schemas.h"

namespace ksim::api {

namespace {

constexpr std::string_view kCSINodeTypes = R"(
CSINode: apiVersion=string kind=string metadata=ObjectMeta spec!=CSINodeSpec
CSINodeDriver: allocatable=*VolumeNodeResources name!=string nodeID!=string topologyKeys!=[]string
CSINodeSpec: drivers!=[]CSINodeDriver
VolumeNodeResources: count=*int32
)";

std::vector<std::string> DriversCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), std::to_string(o.spec().Get("drivers").size()), cells::Age(o, now)};
}

constexpr value::PatchField kCSINodeSpecPatchFields[] = {MergeList("drivers", "name")};
constexpr value::PatchSchema kCSINodeSpecPatch{kCSINodeSpecPatchFields};
constexpr value::PatchField kCSINodePatchFields[] = {Nested("metadata", &kMetaPatch),
                                                     Nested("spec", &kCSINodeSpecPatch)};
constexpr value::PatchSchema kCSINodePatch{kCSINodePatchFields};

}  // namespace

extern const KindSpec kCSINodeKind = {
    .group = "storage.k8s.io",
    .kind = "CSINode",
    .resource = "csinodes",
    .namespaced = false,
    .unconditional_update = false,
    .go_types = kCSINodeTypes,
    .patch_schema = &kCSINodePatch,
    .columns = {{"Name"}, {"Drivers"}, {"Age"}},
    .cells = DriversCells,
};

}  // namespace ksim::api
