#include "ksim/api/core/builtin_kinds.h"

namespace ksim::api {

namespace {

enum Flag : unsigned {
  kCluster = 1u << 0,
  kStatus = 1u << 1,
  kScale = 1u << 2,
  kGeneration = 1u << 3,
  kAnnotationGeneration = 1u << 4,
  kGraceful = 1u << 5,
  kCreateOnUpdate = 1u << 6,
  kNeedsVersion = 1u << 7,  // no unconditional update
  kUncached = 1u << 8,
};

struct Row {
  const char* group;
  const char* version;
  const char* kind;
  const char* resource;
  const char* short_names;  // separated by spaces
  unsigned flags;
  const char* storage = nullptr;  // where it is not the resource
};

constexpr const char* kCoreGroup = "";
constexpr const char* kApps = "apps";
constexpr const char* kBatch = "batch";
constexpr const char* kRbac = "rbac.authorization.k8s.io";
constexpr const char* kStorage = "storage.k8s.io";
constexpr const char* kNet = "networking.k8s.io";
constexpr const char* kAdmission = "admissionregistration.k8s.io";

// Sources: pkg/registry/<group>/<resource>/strategy.go for the flags,
// pkg/kubeapiserver/default_storage_factory_builder.go for the storage names.
constexpr Row kRows[] = {
    {kCoreGroup, "v1", "Namespace", "namespaces", "ns", kCluster | kStatus},
    {kCoreGroup, "v1", "Node", "nodes", "no", kCluster | kStatus, "minions"},
    {kCoreGroup, "v1", "Pod", "pods", "po", kStatus | kGeneration | kGraceful},
    {kCoreGroup, "v1", "ReplicationController", "replicationcontrollers", "rc",
     kStatus | kScale | kGeneration, "controllers"},
    {kCoreGroup, "v1", "Service", "services", "svc", kStatus | kCreateOnUpdate, "services/specs"},
    {kCoreGroup, "v1", "Endpoints", "endpoints", "ep", kCreateOnUpdate, "services/endpoints"},
    {kCoreGroup, "v1", "ConfigMap", "configmaps", "cm", 0},
    {kCoreGroup, "v1", "Secret", "secrets", "", 0},
    {kCoreGroup, "v1", "ServiceAccount", "serviceaccounts", "sa", 0},
    {kCoreGroup, "v1", "Event", "events", "ev", kCreateOnUpdate | kUncached},
    {kCoreGroup, "v1", "PersistentVolume", "persistentvolumes", "pv", kCluster | kStatus},
    {kCoreGroup, "v1", "PersistentVolumeClaim", "persistentvolumeclaims", "pvc", kStatus},
    {kCoreGroup, "v1", "ResourceQuota", "resourcequotas", "quota", kStatus},
    {kCoreGroup, "v1", "LimitRange", "limitranges", "limits", kCreateOnUpdate},
    {kCoreGroup, "v1", "PodTemplate", "podtemplates", "", kGeneration},
    {kApps, "v1", "Deployment", "deployments", "deploy",
     kStatus | kScale | kGeneration | kAnnotationGeneration},
    {kApps, "v1", "ReplicaSet", "replicasets", "rs", kStatus | kScale | kGeneration},
    {kApps, "v1", "StatefulSet", "statefulsets", "sts", kStatus | kScale | kGeneration},
    {kApps, "v1", "DaemonSet", "daemonsets", "ds", kStatus | kGeneration},
    {kApps, "v1", "ControllerRevision", "controllerrevisions", "", 0},
    {kBatch, "v1", "Job", "jobs", "", kStatus | kGeneration},
    {kBatch, "v1", "CronJob", "cronjobs", "cj", kStatus | kGeneration},
    {"autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", "hpa", kStatus},
    {"policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", "pdb",
     kStatus | kGeneration | kNeedsVersion},
    {"coordination.k8s.io", "v1", "Lease", "leases", "", kCreateOnUpdate | kNeedsVersion},
    {"discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", "", kGeneration},
    {"events.k8s.io", "v1", "Event", "events", "ev", kCreateOnUpdate | kUncached},
    {"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", "pc", kCluster | kGeneration},
    {kNet, "v1", "Ingress", "ingresses", "ing", kStatus | kGeneration, "ingress"},
    {kNet, "v1", "IngressClass", "ingressclasses", "", kCluster | kGeneration},
    {kNet, "v1", "NetworkPolicy", "networkpolicies", "netpol", kGeneration},
    {kRbac, "v1", "Role", "roles", "", kCreateOnUpdate},
    {kRbac, "v1", "RoleBinding", "rolebindings", "", kCreateOnUpdate},
    {kRbac, "v1", "ClusterRole", "clusterroles", "", kCluster | kCreateOnUpdate},
    {kRbac, "v1", "ClusterRoleBinding", "clusterrolebindings", "", kCluster | kCreateOnUpdate},
    {kStorage, "v1", "StorageClass", "storageclasses", "sc", kCluster},
    {kStorage, "v1", "VolumeAttachment", "volumeattachments", "",
     kCluster | kStatus | kNeedsVersion},
    {kStorage, "v1", "CSIDriver", "csidrivers", "", kCluster | kGeneration | kNeedsVersion},
    {kStorage, "v1", "CSINode", "csinodes", "", kCluster | kNeedsVersion},
    {"node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", "",
     kCluster | kCreateOnUpdate | kNeedsVersion},
    {kAdmission, "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", "",
     kCluster | kGeneration},
    {kAdmission, "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", "",
     kCluster | kGeneration},
    {"apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions",
     "crd crds", kCluster | kStatus | kGeneration | kNeedsVersion,
     "apiextensions.k8s.io/customresourcedefinitions"},
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    words.emplace_back(text.substr(0, space));
    text.remove_prefix(space == text.npos ? text.size() : space + 1);
  }
  return words;
}

ResourceInfo ToInfo(const Row& row) {
  const auto has = [&](Flag f) { return (row.flags & f) != 0; };
  ResourceInfo info;
  info.group = row.group;
  info.version = row.version;
  info.kind = row.kind;
  info.resource = row.resource;
  info.singular = Lower(row.kind);
  info.short_names = Words(row.short_names);
  info.namespaced = !has(kCluster);
  info.has_status = has(kStatus);
  info.has_scale = has(kScale);
  info.has_generation = has(kGeneration);
  info.generation_on_annotations = has(kAnnotationGeneration);
  info.graceful_delete = has(kGraceful);
  info.create_on_update = has(kCreateOnUpdate);
  info.unconditional_update = !has(kNeedsVersion);
  info.watch_cached = !has(kUncached);
  info.storage_prefix = row.storage != nullptr ? row.storage : row.resource;
  return info;
}

}  // namespace

std::vector<ResourceInfo> BuiltinKinds() {
  std::vector<ResourceInfo> kinds;
  for (const Row& row : kRows) kinds.push_back(ToInfo(row));
  return kinds;
}

}  // namespace ksim::api
