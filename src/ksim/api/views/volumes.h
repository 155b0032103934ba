// Volumes: what a PersistentVolume and a PersistentVolumeClaim are to each other, and what claims a
// pod has. The volume binder and the scheduler ask the same questions here.
//
// Source: component-helpers storage/volume/pv_helpers.go, helpers.go, storage/ephemeral/
// ephemeral.go; pkg/volume/util/storageclass.go.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/value/value.h"

namespace ksim::api {

// Annotations of claims and volumes. Their values do not matter, but for those of the last four.
inline constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
inline constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
inline constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
inline constexpr std::string_view kStorageProvisioner = "volume.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kBetaStorageProvisioner =
    "volume.beta.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
// The provisioner of a class whose volumes somebody makes by hand.
inline constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

// GetPersistentVolumeClass, GetPersistentVolumeClaimClass: the class of a volume or a claim.
std::string_view StorageClassNameOf(const Object& object);
// PersistentVolumeClaimHasClass: the claim names a class, if only "".
bool HasStorageClass(const Object& claim);
// The class waits for a pod before it binds (volumeBindingMode: WaitForFirstConsumer); an empty
// object is a class that is not there, and does not wait.
bool WaitsForFirstConsumer(const Object& storage_class);
// GetDefaultClass: the class for claims that name none, the newest of several; empty if there is
// none.
Object DefaultStorageClass(const std::vector<Object>& classes);
// How many classes are the default one: up to 1.25 more than one is an error.
std::size_t CountDefaultClasses(const std::vector<Object>& classes);

bool HasAnnotation(const Object& object, std::string_view name);
Object WithAnnotation(const Object& object, std::string_view name, std::string_view value);

// The claim is bound for good: it names a volume, and the binder has finished.
bool IsFullyBound(const Object& claim);
// IsVolumeBoundToClaim: the volume is bound to that claim, or reserved for one of its name.
bool IsBoundTo(const Object& volume, const Object& claim);
// GetBindVolumeToClaim: the volume, bound to the claim; the same tree if it was so.
Object BoundTo(const Object& volume, const Object& claim);
// The key "namespace/name" of the claim that the volume's claimRef names.
std::string ClaimKeyOf(const Object& volume);

bool DifferInVolumeMode(const Object& claim, const Object& volume);
bool OffersAccessModes(const Object& volume, const Object& claim);
// CheckNodeAffinity: pods on the node can use the volume.
bool IsReachableFrom(const Object& volume, const Object& node);
// MatchTopologySelectorTerms: the class makes volumes for the node.
bool AllowsTopologyOf(const Object& storage_class, const Object& node);

// FindMatchingVolume: the volume that is the claim's already, else the smallest that fits; of equal
// ones the first. `node`: the scheduler asks for volumes that the node reaches; empty: the binder
// asks. `delays`: the claim waits for a pod, so that the binder takes no free volume. Volumes whose
// names `taken` holds are left out.
Object FindMatchingVolume(const Object& claim, const std::vector<Object>& volumes,
                          const Object& node, const std::vector<std::string>& taken, bool delays);

// --- pods ---

// A volume of a pod that a claim stands behind.
struct PodClaim {
  PodClaim() = default;
  std::string volume;  // its name in the pod
  std::string claim;   // POD-VOLUME of a generic ephemeral volume
  bool ephemeral = false;
};
// In the order of the pod's volumes.
std::vector<PodClaim> ClaimsOfPod(const Object& pod);
bool UsesClaim(const Object& pod, std::string_view claim);
bool HasEphemeralVolume(const value::Value& pod);  // a tree
// Stands for pods with generic ephemeral volumes where Kinds remembers what a cluster has had
// (Kinds::NoteObject): who makes their claims need not watch pods before there is one.
const ResourceInfo& EphemeralVolumeUse();
// pkg/volume/util IsPodTerminated: the pod uses its volumes no more.
bool IsPodTerminated(const Object& pod);
// VolumeIsForPod: why the claim is not the one of the pod's ephemeral volume; nullopt if it is.
std::optional<std::string> WhyNotForPod(const Object& pod, const Object& claim);

}  // namespace ksim::api
