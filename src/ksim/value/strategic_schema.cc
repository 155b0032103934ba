#include "ksim/value/strategic_schema.h"

#include <algorithm>
#include <iterator>

namespace ksim::value {
namespace {

// A list that merges by a key; a list of scalars that merges as a set; an object on the way.
constexpr PatchField List(std::string_view name, std::string_view key,
                          const PatchType* type = nullptr) {
  return {.name = name, .type = type, .merge = true, .merge_key = key};
}
constexpr PatchField Set(std::string_view name) { return {.name = name, .merge = true}; }
constexpr PatchField Object(std::string_view name, const PatchType* type) {
  return {.name = name, .type = type};
}
constexpr PatchField RetainKeysList(std::string_view name, std::string_view key) {
  return {.name = name, .merge = true, .merge_key = key, .retain_keys = true};
}

constexpr PatchField kMetaFields[] = {List("ownerReferences", "uid"), Set("finalizers")};
constexpr PatchType kMeta{kMetaFields};

constexpr PatchField kMetaOnlyFields[] = {Object("metadata", &kMeta)};
constexpr PatchType kMetaOnly{kMetaOnlyFields};

constexpr PatchField kConditionsFields[] = {List("conditions", "type")};
constexpr PatchType kConditions{kConditionsFields};

constexpr PatchField kStatusConditionsFields[] = {Object("metadata", &kMeta),
                                                  Object("status", &kConditions)};
constexpr PatchType kStatusConditions{kStatusConditionsFields};

// core/v1

constexpr PatchField kContainerFields[] = {
    List("ports", "containerPort"),
    List("env", "name"),
    List("volumeMounts", "mountPath"),
    List("volumeDevices", "devicePath"),
};
constexpr PatchType kContainer{kContainerFields};

constexpr PatchField kPodSpecFields[] = {
    RetainKeysList("volumes", "name"),
    List("initContainers", "name", &kContainer),
    List("containers", "name", &kContainer),
    List("ephemeralContainers", "name", &kContainer),
    List("imagePullSecrets", "name"),
    List("hostAliases", "ip"),
    List("topologySpreadConstraints", "topologyKey"),
    List("schedulingGates", "name"),
    RetainKeysList("resourceClaims", "name"),
    List("evictionResponders", "name"),
};
constexpr PatchType kPodSpec{kPodSpecFields};

constexpr PatchField kPodStatusFields[] = {
    List("conditions", "type"),
    List("hostIPs", "ip"),
    List("podIPs", "ip"),
    RetainKeysList("resourceClaimStatuses", "name"),
};
constexpr PatchType kPodStatus{kPodStatusFields};

constexpr PatchField kPodFields[] = {Object("metadata", &kMeta), Object("spec", &kPodSpec),
                                     Object("status", &kPodStatus)};
constexpr PatchType kPod{kPodFields};

constexpr PatchField kTemplateFields[] = {Object("metadata", &kMeta), Object("spec", &kPodSpec)};
constexpr PatchType kTemplate{kTemplateFields};

constexpr PatchField kPodTemplateFields[] = {Object("metadata", &kMeta),
                                             Object("template", &kTemplate)};
constexpr PatchType kPodTemplate{kPodTemplateFields};

constexpr PatchField kNodeSpecFields[] = {Set("podCIDRs")};
constexpr PatchType kNodeSpec{kNodeSpecFields};
constexpr PatchField kNodeStatusFields[] = {List("conditions", "type"), List("addresses", "type")};
constexpr PatchType kNodeStatus{kNodeStatusFields};
constexpr PatchField kNodeFields[] = {Object("metadata", &kMeta), Object("spec", &kNodeSpec),
                                      Object("status", &kNodeStatus)};
constexpr PatchType kNode{kNodeFields};

constexpr PatchField kServiceSpecFields[] = {List("ports", "port")};
constexpr PatchType kServiceSpec{kServiceSpecFields};
constexpr PatchField kServiceFields[] = {Object("metadata", &kMeta), Object("spec", &kServiceSpec),
                                         Object("status", &kConditions)};
constexpr PatchType kService{kServiceFields};

constexpr PatchField kServiceAccountFields[] = {Object("metadata", &kMeta),
                                                List("secrets", "name")};
constexpr PatchType kServiceAccount{kServiceAccountFields};

constexpr PatchField kComponentStatusFields[] = {Object("metadata", &kMeta),
                                                 List("conditions", "type")};
constexpr PatchType kComponentStatus{kComponentStatusFields};

// apps/v1, batch/v1, policy/v1, storage.k8s.io/v1

constexpr PatchField kWorkloadSpecFields[] = {Object("template", &kTemplate)};
constexpr PatchType kWorkloadSpec{kWorkloadSpecFields};
constexpr PatchField kWorkloadFields[] = {
    Object("metadata", &kMeta), Object("spec", &kWorkloadSpec), Object("status", &kConditions)};
constexpr PatchType kWorkload{kWorkloadFields};

constexpr PatchField kDeploymentSpecFields[] = {Object("template", &kTemplate),
                                                {.name = "strategy", .retain_keys = true}};
constexpr PatchType kDeploymentSpec{kDeploymentSpecFields};
constexpr PatchField kDeploymentFields[] = {
    Object("metadata", &kMeta), Object("spec", &kDeploymentSpec), Object("status", &kConditions)};
constexpr PatchType kDeployment{kDeploymentFields};

constexpr PatchField kJobTemplateFields[] = {Object("metadata", &kMeta),
                                             Object("spec", &kWorkloadSpec)};
constexpr PatchType kJobTemplate{kJobTemplateFields};
constexpr PatchField kCronJobSpecFields[] = {Object("jobTemplate", &kJobTemplate)};
constexpr PatchType kCronJobSpec{kCronJobSpecFields};
constexpr PatchField kCronJobFields[] = {Object("metadata", &kMeta), Object("spec", &kCronJobSpec)};
constexpr PatchType kCronJob{kCronJobFields};

constexpr PatchField kPdbSpecFields[] = {{.name = "selector", .replace = true}};
constexpr PatchType kPdbSpec{kPdbSpecFields};
constexpr PatchField kPdbFields[] = {Object("metadata", &kMeta), Object("spec", &kPdbSpec),
                                     Object("status", &kConditions)};
constexpr PatchType kPdb{kPdbFields};

constexpr PatchField kCsiNodeSpecFields[] = {List("drivers", "name")};
constexpr PatchType kCsiNodeSpec{kCsiNodeSpecFields};
constexpr PatchField kCsiNodeFields[] = {Object("metadata", &kMeta), Object("spec", &kCsiNodeSpec)};
constexpr PatchType kCsiNode{kCsiNodeFields};

constexpr PatchField kWebhooksFields[] = {Object("metadata", &kMeta), List("webhooks", "name")};
constexpr PatchType kWebhooks{kWebhooksFields};

struct KindSchema {
  std::string_view group;
  std::string_view kind;
  const PatchType* type;
};

constexpr KindSchema kKinds[] = {
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

const PatchField& PatchType::Field(const PatchType* type, std::string_view name) {
  static constexpr PatchField kPlain{};
  if (type == nullptr) return kPlain;
  const auto it = std::find_if(type->fields.begin(), type->fields.end(),
                               [name](const PatchField& f) { return f.name == name; });
  return it == type->fields.end() ? kPlain : *it;
}

const PatchType* FindPatchSchema(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  const auto it = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const KindSchema& k) {
    return k.group == group && k.kind == kind;
  });
  return it == std::end(kKinds) ? nullptr : it->type;
}

}  // namespace ksim::value
