// The kind Pod of v1.
//
// Sources: pkg/registry/core/pod/strategy.go; pkg/apis/core/validation/validation.go (rules/pod).
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/kinds/core/pod_features.h"
#include "ksim/api/kinds/core/pod_printing.h"
#include "ksim/api/kinds/shared/pod_defaults.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/rules/ip_warnings.h"
#include "ksim/api/rules/pod/pod_status_validation.h"
#include "ksim/api/rules/pod/pod_subresource_validation.h"
#include "ksim/api/rules/pod/pod_update_validation.h"
#include "ksim/api/rules/pod/pod_validation.h"
#include "ksim/api/rules/pod/pod_warnings.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/api/views/qos.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

constexpr std::string_view kPodTypes = R"(
ContainerExtendedResourceRequest: containerName!=string requestName!=string resourceName!=string
ContainerState: running=*ContainerStateRunning terminated=*ContainerStateTerminated
   waiting=*ContainerStateWaiting
ContainerStateRunning: startedAt=Time
ContainerStateTerminated: containerID=string exitCode!=int32 finishedAt=Time message=string
   reason=string signal=int32 startedAt=Time
ContainerStateWaiting: message=string reason=string
ContainerStatus: allocatedResources={}Quantity@ResourceList
   allocatedResourcesStatus=[]ResourceStatus containerID=string image!=string imageID!=string
   lastState=ContainerState name!=string ready!=bool resources=*ResourceRequirements
   restartCount!=int32 started=*bool state=ContainerState stopSignal=*s:Signal user=*ContainerUser
   volumeMounts=[]VolumeMountStatus
ContainerUser: linux=*LinuxContainerUser
HostIP: ip!=string
ImageVolumeStatus: imageRef=string
LinuxContainerUser: gid!=int64 supplementalGroups=[]int64 uid!=int64
NodeAllocatableResourceClaimStatus: containers=[]string resourceClaimName!=string
   resources!={}Quantity
Pod: apiVersion=string kind=string metadata=ObjectMeta spec=PodSpec status=PodStatus
PodCondition: lastProbeTime=Time lastTransitionTime=Time message=string observedGeneration=int64
   reason=string status!=s:ConditionStatus type!=s:PodConditionType
PodExtendedResourceClaimStatus: requestMappings!=[]ContainerExtendedResourceRequest
   resourceClaimName!=string
PodIP: ip!=string
PodResourceClaimStatus: name!=string resourceClaimName=*string
PodStatus: allocatedResources={}Quantity@ResourceList conditions=[]PodCondition
   containerStatuses=[]ContainerStatus ephemeralContainerStatuses=[]ContainerStatus
   extendedResourceClaimStatus=*PodExtendedResourceClaimStatus hostIP=string hostIPs=[]HostIP
   initContainerStatuses=[]ContainerStatus message=string
   nodeAllocatableResourceClaimStatuses=[]NodeAllocatableResourceClaimStatus
   nominatedNodeName=string observedGeneration=int64 phase=s:PodPhase podIP=string podIPs=[]PodIP
   qosClass=s:PodQOSClass reason=string resize=s:PodResizeStatus
   resourceClaimStatuses=[]PodResourceClaimStatus resources=*ResourceRequirements startTime=*Time
ResourceHealth: health=s:ResourceHealthStatus message=*string resourceID!=s:ResourceID
ResourceStatus: name!=s:ResourceName resources=[]ResourceHealth
VolumeMountStatus: mountPath!=string name!=string readOnly=bool
   recursiveReadOnly=*s:RecursiveReadOnlyMode volumeStatus=*VolumeStatus
VolumeStatus: image=*ImageVolumeStatus
)";

Value DefaultPod(const Value& tree, Compat compat) {
  return EditSpec(tree, [&](const Value& spec) { return DefaultPodSpec(spec, compat); });
}

// pkg/registry/core/pod/strategy.go PrepareForCreate, applySchedulingGatedCondition.
Value InitialPodStatus(const Value& pod, Compat compat) {
  static const Path kGates{"spec", "schedulingGates"};
  value::ObjectBuilder status;
  status.Add("phase", Value::Of("Pending"));
  status.Add("qosClass", Value::Of(ComputeQosClass(pod.Get(Fields().spec))));
  if (ProfileOf(compat).pod_scheduling_readiness && !pod.Get(kGates).empty()) {
    value::ObjectBuilder condition;
    condition.Add("type", Value::Of("PodScheduled")).Add("status", Value::Of("False"));
    condition.Add("reason", Value::Of("SchedulingGated"));
    condition.Add("message", Value::Of("Scheduling is blocked due to non-empty scheduling gates"));
    // From 1.31 on it goes through UpdatePodCondition, which sets the time.
    static const Path kCreated{"metadata", "creationTimestamp"};
    if (ProfileOf(compat).gated_condition_has_time)
      condition.Add("lastTransitionTime", pod.Get(kCreated));
    status.Add("conditions", value::Arr({condition.Build()}));
  }
  return status.Build();
}

Value PrepareNewPod(Value tree, Compat compat) {
  return MergeMatchLabelKeys(DropDisabledPodFields(std::move(tree), compat), compat);
}

Value PreparePodUpdate(const Value&, Value updated, Compat compat) {
  return DropDisabledPodFields(std::move(updated), compat);
}

Value PreparePodStatusUpdate(const Value& old, Value v, Compat compat) {
  static const Path kOwners{"metadata", "ownerReferences"};
  static const Path kDeletion{"metadata", "deletionTimestamp"};
  static const Path kQos{"status", "qosClass"};
  static const Path kObserved{"status", "observedGeneration"};
  const Value& owners = old.Get(kOwners);
  v = owners.is_null() ? v.Erase(kOwners) : std::move(v).Set(kOwners, owners);
  if (old.Get(kDeletion).is_null()) v = v.Erase(kDeletion);
  // Newer servers put back what old kubelets dropped.
  const bool keeps_qos = ProfileOf(compat).pod_status_restores_qos;
  if (keeps_qos && v.Get(kQos).AsString().empty() && !old.Get(kQos).is_null()) {
    v = std::move(v).Set(kQos, old.Get(kQos));
  }
  if (ProfileOf(compat).pod_generation && v.Get(kObserved).AsInt() == 0 &&
      !old.Get(kObserved).is_null()) {
    v = std::move(v).Set(kObserved, old.Get(kObserved));
  }
  return v;
}

// metav1.ResetObjectMetaForStatus
Value WithMetadataOf(const Value& old, Value updated) {
  const Value& before = old.Get(Fields().metadata);
  return EditField(std::move(updated), Fields().metadata, [&](const Value& metadata) {
    Value kept = metadata;
    for (const value::Atom field :
         {Fields().deletion_timestamp, Fields().deletion_grace_period_seconds, Fields().labels,
          Fields().annotations, Fields().finalizers, Fields().owner_references})
      kept = SetOrErase(std::move(kept), field, before.Get(field));
    return kept;
  });
}

// dropNonResizeUpdatesForContainers: another order or another name is the business of validation.
Value ResizedContainers(const Value& updated, const Value& old) {
  std::vector<Value> containers;
  for (std::size_t i = 0; i < updated.size(); ++i) {
    if (updated.at(i).Get(Fields().name) != old.at(i).Get(Fields().name)) return updated;
    Value container = old.at(i);
    for (const value::Atom field : {Fields().resources, Fields().resize_policy})
      container = SetOrErase(std::move(container), field, updated.at(i).Get(field));
    containers.push_back(std::move(container));
  }
  return Value::Array(std::move(containers));
}

// dropNonResizeUpdates; pod-level resources may change too.
Value KeepResize(const Value& old, Value updated) {
  const Value& spec = updated.Get(Fields().spec);
  const Value& before = old.Get(Fields().spec);
  for (const value::Atom list : {Fields().containers, Fields().init_containers})
    if (spec.Get(list).size() != before.Get(list).size()) return updated;
  Value kept = SetOrErase(before, Fields().resources, spec.Get(Fields().resources));
  for (const value::Atom list : {Fields().containers, Fields().init_containers})
    if (!before.Get(list).empty())
      kept = std::move(kept).Set(list, ResizedContainers(spec.Get(list), before.Get(list)));
  return WithMetadataOf(old, std::move(updated).Set(Fields().spec, std::move(kept)));
}

// dropNonEphemeralContainerUpdates
Value KeepEphemeralContainers(const Value& old, Value updated) {
  const Value& containers = updated.Get(Fields().spec).Get(Fields().ephemeral_containers);
  Value kept = SetOrErase(old.Get(Fields().spec), Fields().ephemeral_containers, containers);
  return WithMetadataOf(old, std::move(updated).Set(Fields().spec, std::move(kept)));
}

// podEphemeralContainersStrategy, podResizeStrategy. Any other subresource changes what an update
// of the pod may change.
Value PreparePodSubresource(const Value& old, Value updated, std::string_view subresource,
                            Compat compat) {
  if (subresource == "ephemeralcontainers") {
    updated = KeepEphemeralContainers(old, std::move(updated));
  } else if (subresource == "resize") {
    updated = KeepResize(old, std::move(updated));
  }
  return DropDisabledPodFields(std::move(updated), compat);
}

constexpr value::PatchField kPodStatusPatchFields[] = {
    MergeList("conditions", "type"), MergeList("hostIPs", "ip"), MergeList("podIPs", "ip"),
    RetainKeysList("resourceClaimStatuses", "name")};
constexpr value::PatchSchema kPodStatusPatch{kPodStatusPatchFields};
constexpr value::PatchField kPodPatchFields[] = {Nested("metadata", &kMetaPatch),
                                                 Nested("spec", &kPodSpecPatch),
                                                 Nested("status", &kPodStatusPatch)};
constexpr value::PatchSchema kPodPatch{kPodPatchFields};

// podStatusStrategy.WarningsOnUpdate
std::vector<std::string> PodStatusWarnings(const Value& updated, const Value&, Compat compat) {
  std::vector<std::string> warnings;
  const Profile& profile = ProfileOf(compat);
  if (!profile.warns_of_ip_forms) return warnings;
  for (const value::Atom list : {Fields().pod_ips, Fields().host_ips}) {
    const Value& ips = updated.Get(Fields().status).Get(list);
    for (std::size_t i = 0; i < ips.size(); ++i) {
      const std::string_view ip = ips.at(i).Get(Fields().ip).AsString();
      if (HasUsualForm(ip)) continue;
      WarnOfIp(fmt::format("status.{}[{}].ip", list.text(), i), ip, profile, &warnings);
    }
  }
  return warnings;
}

}  // namespace

extern const KindSpec kPodKind = {
    .kind = "Pod",
    .resource = "pods",
    .short_names = {"po"},
    .category = "all",
    .has_status = true,
    .has_generation = true,
    .graceful_delete = true,
    .generation_gate = &Profile::pod_generation,
    .go_types = kPodTypes,
    .patch_schema = &kPodPatch,
    .columns = {{"Name"},
                {"Ready"},
                {"Status"},
                {"Restarts"},
                {"Age"},
                {"IP", kWide},
                {"Node", kWide},
                {"Nominated Node", kWide},
                {"Readiness Gates", kWide}},
    .cells = PodCells,
    .defaults = DefaultPod,
    .initial_status = InitialPodStatus,
    .prepare_create = PrepareNewPod,
    .prepare_update = PreparePodUpdate,
    .prepare_subresource = PreparePodSubresource,
    .prepare_status_update = PreparePodStatusUpdate,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckMeta, kCheckChange},
            .on_status_update = {kCheckMetaUpdate, kCheckChange},
            .object = ValidatePodCreate,
            .change = ValidatePodUpdate,
            .status_change = ValidatePodStatusUpdate,
            .subresource_change = ValidatePodSubresource,
        },
    .warnings_on_create = PodWarnings,
    .warnings_on_status_update = PodStatusWarnings,
};

}  // namespace ksim::api
