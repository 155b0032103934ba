// The kind PersistentVolumeClaim of v1.
//
// Sources: pkg/apis/core/v1/defaults.go; pkg/printers/internalversion/printers.go.
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/kinds/core/volume_cells.h"
#include "ksim/api/kinds/shared/claim_defaults.h"
#include "ksim/api/kinds/shared/claim_warnings.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kPersistentVolumeClaimTypes = R"(
ModifyVolumeStatus: status!=s:PersistentVolumeClaimModifyVolumeStatus
   targetVolumeAttributesClassName=string
PersistentVolumeClaim: apiVersion=string kind=string metadata=ObjectMeta
   spec=PersistentVolumeClaimSpec status=PersistentVolumeClaimStatus
PersistentVolumeClaimCondition: lastProbeTime=Time lastTransitionTime=Time message=string
   reason=string status!=s:ConditionStatus type!=s:PersistentVolumeClaimConditionType
PersistentVolumeClaimStatus: accessModes=[]s:PersistentVolumeAccessMode
   allocatedResourceStatuses={}s:ClaimResourceStatus allocatedResources={}Quantity@ResourceList
   capacity={}Quantity@ResourceList conditions=[]PersistentVolumeClaimCondition
   currentVolumeAttributesClassName=*string modifyVolumeStatus=*ModifyVolumeStatus
   phase=s:PersistentVolumeClaimPhase
)";

Value DefaultVolumeClaim(const Value& tree, Compat) { return DefaultClaim(tree); }

Value InitialClaimStatus(const Value&, Compat) {
  return value::Obj({{"phase", Value::Of("Pending")}});
}

std::vector<std::string> ClaimCells(const Object& o, VirtualTime now) {
  const Value& volume = o.spec().Get("volumeName");
  const bool bound = !volume.AsString().empty();
  return {cells::Name(o),
          VolumePhase(o),
          cells::Text(volume),
          bound ? cells::AmountText(o.status().Get("capacity").Get("storage")) : "",
          bound ? AccessModesText(o.status().Get("accessModes")) : "",
          StorageClassOf(o),
          cells::TextOr(o.spec().Get("volumeAttributesClassName"), "<unset>"),
          cells::Age(o, now),
          cells::TextOr(o.spec().Get("volumeMode"), "<unset>")};
}

std::vector<std::string> ClaimWarnings(const Value& tree, Compat compat) {
  std::vector<std::string> warnings;
  if (!ProfileOf(compat).warns_of_claims) return warnings;
  if (tree.Get("metadata").Get("annotations").Has("volume.beta.kubernetes.io/storage-class"))
    warnings.emplace_back(
        "metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "
        "\"storageClassName\" attribute instead");
  WarnOfClaimSpec(tree.Get("spec"), "spec", &warnings);
  return warnings;
}

}  // namespace

extern const KindSpec kPersistentVolumeClaimKind = {
    .kind = "PersistentVolumeClaim",
    .resource = "persistentvolumeclaims",
    .short_names = {"pvc"},
    .has_status = true,
    .go_types = kPersistentVolumeClaimTypes,
    .patch_schema = &kStatusConditionsPatch,
    .columns = {{"Name"},
                {"Status"},
                {"Volume"},
                {"Capacity"},
                {"Access Modes"},
                {"StorageClass"},
                {"VolumeAttributesClass"},
                {"Age"},
                {"VolumeMode", kWide}},
    .cells = ClaimCells,
    .defaults = DefaultVolumeClaim,
    .initial_status = InitialClaimStatus,
    .warnings_on_create = ClaimWarnings,
    .warnings_on_update = [](const value::Value& updated, const value::Value&,
                             Compat compat) { return ClaimWarnings(updated, compat); },
};

}  // namespace ksim::api
