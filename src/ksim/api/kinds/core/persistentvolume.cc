// The kind PersistentVolume of v1.
//
// Source: pkg/printers/internalversion/printers.go printPersistentVolume.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/core/volume_cells.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_warnings.h"
#include "ksim/api/rules/node_labels.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kPersistentVolumeTypes = R"(
AzureFilePersistentVolumeSource: readOnly=bool secretName!=string secretNamespace!=*string
   shareName!=string
CSIPersistentVolumeSource: controllerExpandSecretRef=*SecretReference
   controllerPublishSecretRef=*SecretReference driver!=string fsType=string
   nodeExpandSecretRef=*SecretReference nodePublishSecretRef=*SecretReference
   nodeStageSecretRef=*SecretReference readOnly=bool volumeAttributes={}string volumeHandle!=string
CephFSPersistentVolumeSource: monitors!=[]string path=string readOnly=bool secretFile=string
   secretRef=*SecretReference user=string
CinderPersistentVolumeSource: fsType=string readOnly=bool secretRef=*SecretReference
   volumeID!=string
FlexPersistentVolumeSource: driver!=string fsType=string options={}string readOnly=bool
   secretRef=*SecretReference
GlusterfsPersistentVolumeSource: endpoints!=string endpointsNamespace=*string path!=string
   readOnly=bool
ISCSIPersistentVolumeSource: chapAuthDiscovery=bool chapAuthSession=bool fsType=string
   initiatorName=*string iqn!=string iscsiInterface=string lun!=int32 portals=[]string readOnly=bool
   secretRef=*SecretReference targetPortal!=string
LocalVolumeSource: fsType=*string path!=string
PersistentVolume: apiVersion=string kind=string metadata=ObjectMeta spec=PersistentVolumeSpec
   status=PersistentVolumeStatus
PersistentVolumeSpec: accessModes=[]s:PersistentVolumeAccessMode
   awsElasticBlockStore=*AWSElasticBlockStoreVolumeSource azureDisk=*AzureDiskVolumeSource
   azureFile=*AzureFilePersistentVolumeSource capacity={}Quantity@ResourceList
   cephfs=*CephFSPersistentVolumeSource cinder=*CinderPersistentVolumeSource
   claimRef=*ObjectReference csi=*CSIPersistentVolumeSource fc=*FCVolumeSource
   flexVolume=*FlexPersistentVolumeSource flocker=*FlockerVolumeSource
   gcePersistentDisk=*GCEPersistentDiskVolumeSource glusterfs=*GlusterfsPersistentVolumeSource
   hostPath=*HostPathVolumeSource iscsi=*ISCSIPersistentVolumeSource local=*LocalVolumeSource
   mountOptions=[]string nfs=*NFSVolumeSource nodeAffinity=*VolumeNodeAffinity
   persistentVolumeReclaimPolicy=s:PersistentVolumeReclaimPolicy
   photonPersistentDisk=*PhotonPersistentDiskVolumeSource portworxVolume=*PortworxVolumeSource
   quobyte=*QuobyteVolumeSource rbd=*RBDPersistentVolumeSource
   scaleIO=*ScaleIOPersistentVolumeSource storageClassName=string
   storageos=*StorageOSPersistentVolumeSource volumeAttributesClassName=*string
   volumeMode=*s:PersistentVolumeMode vsphereVolume=*VsphereVirtualDiskVolumeSource
PersistentVolumeStatus: lastPhaseTransitionTime=*Time message=string phase=s:PersistentVolumePhase
   reason=string
RBDPersistentVolumeSource: fsType=string image!=string keyring=string monitors!=[]string pool=string
   readOnly=bool secretRef=*SecretReference user=string
ScaleIOPersistentVolumeSource: fsType=string gateway!=string protectionDomain=string readOnly=bool
   secretRef!=*SecretReference sslEnabled=bool storageMode=string storagePool=string system!=string
   volumeName=string
SecretReference: name=string namespace=string
StorageOSPersistentVolumeSource: fsType=string readOnly=bool secretRef=*ObjectReference
   volumeName=string volumeNamespace=string
VolumeNodeAffinity: required=*NodeSelector
)";

// pkg/apis/core/v1/defaults.go SetDefaults_PersistentVolume, SetDefaults_HostPathVolumeSource
Value DefaultVolume(const Value& tree, Compat) {
  Value volume = EditSpec(tree, [](const Value& spec) {
    Value out =
        WithNonEmpty(spec, value::Atom("persistentVolumeReclaimPolicy"), Value::Of("Retain"));
    out = WithDefault(std::move(out), Fields().volume_mode, Value::Of("Filesystem"));
    return EditField(std::move(out), value::Atom("hostPath"), [](const Value& path) {
      return WithDefault(path, Fields().type, Value::Of(""));
    });
  });
  volume = WithDefault(std::move(volume), Fields().status, Value::EmptyObject());
  return EditField(std::move(volume), Fields().status, [](const Value& status) {
    return WithNonEmpty(status, Fields().phase, Value::Of("Pending"));
  });
}

Value InitialVolumeStatus(const Value&, Compat) {
  return value::Obj({{"phase", Value::Of("Pending")}});
}

std::vector<std::string> VolumeCells(const Object& o, VirtualTime now) {
  const Value& spec = o.spec();
  const Value& claim = spec.Get("claimRef");
  return {cells::Name(o),
          cells::AmountText(spec.Get("capacity").Get("storage")),
          AccessModesText(spec.Get("accessModes")),
          cells::Text(spec.Get("persistentVolumeReclaimPolicy")),
          VolumePhase(o),
          claim.is_object()
              ? cells::Text(claim.Get("namespace")) + "/" + cells::Text(claim.Get("name"))
              : "",
          StorageClassOf(o),
          cells::TextOr(spec.Get("volumeAttributesClassName"), "<unset>"),
          cells::Text(o.status().Get("reason")),
          cells::Age(o, now),
          cells::TextOr(spec.Get("volumeMode"), "<unset>")};
}

constexpr FieldWarning kAnnotationWarnings[] = {
    {"volume.beta.kubernetes.io/storage-class",
     "metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "
     "\"storageClassName\" attribute instead",
     &Profile::warns_of_old_volumes},
    {"volume.beta.kubernetes.io/mount-options",
     "metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "
     "\"mountOptions\" attribute instead",
     &Profile::warns_of_mount_options}};

constexpr FieldWarning kSourceWarnings[] = {
    {"cephfs", "spec.cephfs: deprecated in v1.28, non-functional in v1.31+",
     &Profile::warns_of_old_volumes},
    {"photonPersistentDisk",
     "spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+",
     &Profile::warns_of_old_volumes},
    {"scaleIO", "spec.scaleIO: deprecated in v1.16, non-functional in v1.22+",
     &Profile::warns_of_old_volumes},
    {"storageos", "spec.storageOS: deprecated in v1.22, non-functional in v1.25+",
     &Profile::warns_of_old_volumes},
    {"glusterfs", "spec.glusterfs: deprecated in v1.25, non-functional in v1.26+",
     &Profile::warns_of_old_volumes},
    {"rbd", "spec.rbd: deprecated in v1.28, non-functional in v1.31+",
     &Profile::warns_of_old_volumes}};

// pkg/api/persistentvolume/util.go warningsForPersistentVolumeSpecAndMeta
std::vector<std::string> VolumeWarnings(const Value& tree, Compat compat) {
  const Profile& profile = ProfileOf(compat);
  const Value& spec = tree.Get("spec");
  std::vector<std::string> warnings;
  WarnOfFields(tree.Get("metadata").Get("annotations"), kAnnotationWarnings, profile, &warnings);
  if (profile.warns_of_old_volumes &&
      spec.Get("persistentVolumeReclaimPolicy").AsString() == "Recycle")
    warnings.emplace_back(
        "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, "
        "the "
        "recommended approach is to use dynamic provisioning.");
  const Value& terms = spec.Get("nodeAffinity").Get("required").Get("nodeSelectorTerms");
  for (std::size_t i = 0; i < terms.size(); ++i)
    WarnOfLabelsInTerm(terms.at(i),
                       fmt::format("spec.nodeAffinity.required.nodeSelectorTerms[{}]", i), profile,
                       &warnings);
  WarnOfFields(spec, kSourceWarnings, profile, &warnings);
  return warnings;
}

}  // namespace

extern const KindSpec kPersistentVolumeKind = {
    .kind = "PersistentVolume",
    .resource = "persistentvolumes",
    .short_names = {"pv"},
    .namespaced = false,
    .has_status = true,
    .go_types = kPersistentVolumeTypes,
    .columns = {{"Name"},
                {"Capacity"},
                {"Access Modes"},
                {"Reclaim Policy"},
                {"Status"},
                {"Claim"},
                {"StorageClass"},
                {"VolumeAttributesClass"},
                {"Reason"},
                {"Age"},
                {"VolumeMode", kWide}},
    .cells = VolumeCells,
    .defaults = DefaultVolume,
    .initial_status = InitialVolumeStatus,
    .warnings_on_create = VolumeWarnings,
    .warnings_on_update = [](const value::Value& updated, const value::Value&,
                             Compat compat) { return VolumeWarnings(updated, compat); },
};

}  // namespace ksim::api
