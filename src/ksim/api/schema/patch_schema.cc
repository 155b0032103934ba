#include "ksim/api/patch_schema.h"

#include <algorithm>
#include <iterator>

namespace ksim::api {

using value::PatchField;
using value::PatchSchema;

namespace {

// A list that merges by a key; a list of scalars that merges as a set; an object on the way.
constexpr PatchField MergeList(std::string_view name, std::string_view key,
                               const PatchSchema* type = nullptr) {
  return {.name = name, .type = type, .merge = true, .merge_key = key};
}
constexpr PatchField MergeSet(std::string_view name) { return {.name = name, .merge = true}; }
constexpr PatchField Nested(std::string_view name, const PatchSchema* type) {
  return {.name = name, .type = type};
}
constexpr PatchField RetainKeysList(std::string_view name, std::string_view key) {
  return {.name = name, .merge = true, .merge_key = key, .retain_keys = true};
}

constexpr PatchField kMetaFields[] = {MergeList("ownerReferences", "uid"), MergeSet("finalizers")};
constexpr PatchSchema kMeta{kMetaFields};

constexpr PatchField kMetaOnlyFields[] = {Nested("metadata", &kMeta)};
constexpr PatchSchema kMetaOnly{kMetaOnlyFields};

constexpr PatchField kConditionsFields[] = {MergeList("conditions", "type")};
constexpr PatchSchema kConditions{kConditionsFields};

constexpr PatchField kStatusConditionsFields[] = {Nested("metadata", &kMeta),
                                                  Nested("status", &kConditions)};
constexpr PatchSchema kStatusConditions{kStatusConditionsFields};

// core/v1

constexpr PatchField kContainerFields[] = {
    MergeList("ports", "containerPort"),
    MergeList("env", "name"),
    MergeList("volumeMounts", "mountPath"),
    MergeList("volumeDevices", "devicePath"),
};
constexpr PatchSchema kContainer{kContainerFields};

constexpr PatchField kPodSpecFields[] = {
    RetainKeysList("volumes", "name"),
    MergeList("initContainers", "name", &kContainer),
    MergeList("containers", "name", &kContainer),
    MergeList("ephemeralContainers", "name", &kContainer),
    MergeList("imagePullSecrets", "name"),
    MergeList("hostAliases", "ip"),
    MergeList("topologySpreadConstraints", "topologyKey"),
    MergeList("schedulingGates", "name"),
    RetainKeysList("resourceClaims", "name"),
    MergeList("evictionResponders", "name"),
};
constexpr PatchSchema kPodSpec{kPodSpecFields};

constexpr PatchField kPodStatusFields[] = {
    MergeList("conditions", "type"),
    MergeList("hostIPs", "ip"),
    MergeList("podIPs", "ip"),
    RetainKeysList("resourceClaimStatuses", "name"),
};
constexpr PatchSchema kPodStatus{kPodStatusFields};

constexpr PatchField kPodFields[] = {Nested("metadata", &kMeta), Nested("spec", &kPodSpec),
                                     Nested("status", &kPodStatus)};
constexpr PatchSchema kPod{kPodFields};

constexpr PatchField kTemplateFields[] = {Nested("metadata", &kMeta), Nested("spec", &kPodSpec)};
constexpr PatchSchema kTemplate{kTemplateFields};

constexpr PatchField kPodTemplateFields[] = {Nested("metadata", &kMeta),
                                             Nested("template", &kTemplate)};
constexpr PatchSchema kPodTemplate{kPodTemplateFields};

constexpr PatchField kNodeSpecFields[] = {MergeSet("podCIDRs")};
constexpr PatchSchema kNodeSpec{kNodeSpecFields};
constexpr PatchField kNodeStatusFields[] = {MergeList("conditions", "type"),
                                            MergeList("addresses", "type")};
constexpr PatchSchema kNodeStatus{kNodeStatusFields};
constexpr PatchField kNodeFields[] = {Nested("metadata", &kMeta), Nested("spec", &kNodeSpec),
                                      Nested("status", &kNodeStatus)};
constexpr PatchSchema kNode{kNodeFields};

constexpr PatchField kServiceSpecFields[] = {MergeList("ports", "port")};
constexpr PatchSchema kServiceSpec{kServiceSpecFields};
constexpr PatchField kServiceFields[] = {Nested("metadata", &kMeta), Nested("spec", &kServiceSpec),
                                         Nested("status", &kConditions)};
constexpr PatchSchema kService{kServiceFields};

constexpr PatchField kServiceAccountFields[] = {Nested("metadata", &kMeta),
                                                MergeList("secrets", "name")};
constexpr PatchSchema kServiceAccount{kServiceAccountFields};

constexpr PatchField kComponentStatusFields[] = {Nested("metadata", &kMeta),
                                                 MergeList("conditions", "type")};
constexpr PatchSchema kComponentStatus{kComponentStatusFields};

// apps/v1, batch/v1, policy/v1, storage.k8s.io/v1

constexpr PatchField kWorkloadSpecFields[] = {Nested("template", &kTemplate)};
constexpr PatchSchema kWorkloadSpec{kWorkloadSpecFields};
constexpr PatchField kWorkloadFields[] = {
    Nested("metadata", &kMeta), Nested("spec", &kWorkloadSpec), Nested("status", &kConditions)};
constexpr PatchSchema kWorkload{kWorkloadFields};

constexpr PatchField kDeploymentSpecFields[] = {Nested("template", &kTemplate),
                                                {.name = "strategy", .retain_keys = true}};
constexpr PatchSchema kDeploymentSpec{kDeploymentSpecFields};
constexpr PatchField kDeploymentFields[] = {
    Nested("metadata", &kMeta), Nested("spec", &kDeploymentSpec), Nested("status", &kConditions)};
constexpr PatchSchema kDeployment{kDeploymentFields};

constexpr PatchField kJobTemplateFields[] = {Nested("metadata", &kMeta),
                                             Nested("spec", &kWorkloadSpec)};
constexpr PatchSchema kJobTemplate{kJobTemplateFields};
constexpr PatchField kCronJobSpecFields[] = {Nested("jobTemplate", &kJobTemplate)};
constexpr PatchSchema kCronJobSpec{kCronJobSpecFields};
constexpr PatchField kCronJobFields[] = {Nested("metadata", &kMeta), Nested("spec", &kCronJobSpec)};
constexpr PatchSchema kCronJob{kCronJobFields};

constexpr PatchField kPdbSpecFields[] = {{.name = "selector", .replace = true}};
constexpr PatchSchema kPdbSpec{kPdbSpecFields};
constexpr PatchField kPdbFields[] = {Nested("metadata", &kMeta), Nested("spec", &kPdbSpec),
                                     Nested("status", &kConditions)};
constexpr PatchSchema kPdb{kPdbFields};

constexpr PatchField kCsiNodeSpecFields[] = {MergeList("drivers", "name")};
constexpr PatchSchema kCsiNodeSpec{kCsiNodeSpecFields};
constexpr PatchField kCsiNodeFields[] = {Nested("metadata", &kMeta), Nested("spec", &kCsiNodeSpec)};
constexpr PatchSchema kCsiNode{kCsiNodeFields};

constexpr PatchField kWebhooksFields[] = {Nested("metadata", &kMeta),
                                          MergeList("webhooks", "name")};
constexpr PatchSchema kWebhooks{kWebhooksFields};

struct KindSchema {
  std::string_view group;
  std::string_view kind;
  const PatchSchema* type;
};

constexpr KindSchema kPatchSchemas[] = {
    {"", "Binding", &kMetaOnly},
    {"", "ComponentStatus", &kComponentStatus},
    {"", "ConfigMap", &kMetaOnly},
    {"", "Endpoints", &kMetaOnly},
    {"", "Event", &kMetaOnly},
    {"", "LimitRange", &kMetaOnly},
    {"", "Namespace", &kStatusConditions},
    {"", "Node", &kNode},
    {"", "PersistentVolume", &kMetaOnly},
    {"", "PersistentVolumeClaim", &kStatusConditions},
    {"", "Pod", &kPod},
    {"", "PodTemplate", &kPodTemplate},
    {"", "ReplicationController", &kWorkload},
    {"", "ResourceQuota", &kMetaOnly},
    {"", "Secret", &kMetaOnly},
    {"", "Service", &kService},
    {"", "ServiceAccount", &kServiceAccount},
    {"admissionregistration.k8s.io", "MutatingWebhookConfiguration", &kWebhooks},
    {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", &kWebhooks},
    {"apiextensions.k8s.io", "CustomResourceDefinition", &kMetaOnly},
    {"apiregistration.k8s.io", "APIService", &kStatusConditions},
    {"apps", "ControllerRevision", &kMetaOnly},
    {"apps", "DaemonSet", &kWorkload},
    {"apps", "Deployment", &kDeployment},
    {"apps", "ReplicaSet", &kWorkload},
    {"apps", "StatefulSet", &kWorkload},
    {"autoscaling", "HorizontalPodAutoscaler", &kStatusConditions},
    {"autoscaling", "Scale", &kMetaOnly},
    {"batch", "CronJob", &kCronJob},
    {"batch", "Job", &kWorkload},
    {"coordination.k8s.io", "Lease", &kMetaOnly},
    {"discovery.k8s.io", "EndpointSlice", &kMetaOnly},
    {"events.k8s.io", "Event", &kMetaOnly},
    {"flowcontrol.apiserver.k8s.io", "FlowSchema", &kStatusConditions},
    {"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", &kStatusConditions},
    {"networking.k8s.io", "Ingress", &kMetaOnly},
    {"networking.k8s.io", "IngressClass", &kMetaOnly},
    {"networking.k8s.io", "NetworkPolicy", &kMetaOnly},
    {"node.k8s.io", "RuntimeClass", &kMetaOnly},
    {"policy", "PodDisruptionBudget", &kPdb},
    {"rbac.authorization.k8s.io", "ClusterRole", &kMetaOnly},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", &kMetaOnly},
    {"rbac.authorization.k8s.io", "Role", &kMetaOnly},
    {"rbac.authorization.k8s.io", "RoleBinding", &kMetaOnly},
    {"scheduling.k8s.io", "PriorityClass", &kMetaOnly},
    {"storage.k8s.io", "CSIDriver", &kMetaOnly},
    {"storage.k8s.io", "CSINode", &kCsiNode},
    {"storage.k8s.io", "StorageClass", &kMetaOnly},
    {"storage.k8s.io", "VolumeAttachment", &kMetaOnly},
};

}  // namespace

const PatchSchema* FindPatchSchema(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  const auto it =
      std::find_if(std::begin(kPatchSchemas), std::end(kPatchSchemas),
                   [&](const KindSchema& k) { return k.group == group && k.kind == kind; });
  return it == std::end(kPatchSchemas) ? nullptr : it->type;
}

}  // namespace ksim::api
