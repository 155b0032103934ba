#include "ksim/controllers/kind_effects.h"

namespace ksim::controllers {
namespace {

constexpr std::string_view kApps = "apps";
constexpr std::string_view kBatch = "batch";
constexpr std::string_view kNetworking = "networking.k8s.io";
constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
constexpr std::string_view kStorage = "storage.k8s.io";
constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::string_view kDevices = "resource.k8s.io";
constexpr std::string_view kFlow = "flowcontrol.apiserver.k8s.io";

constexpr std::string_view kNothing = "nothing will follow";
constexpr std::string_view kNoTraffic = "no traffic is simulated";
constexpr std::string_view kNoVolumes = "volumes are not simulated, and pods start without them";
constexpr std::string_view kNoDrivers = "no storage driver is simulated";
constexpr std::string_view kNoRbac = "everybody may do everything but what spec.cluster.deny says";
constexpr std::string_view kNoPolicies = "mutating admission policies are not evaluated";
constexpr std::string_view kNoDevices = "devices are not simulated";
constexpr std::string_view kNoFlow =
    "requests are limited by spec.cluster.maxRequestsInflight alone";

KindEffect Simulated(std::string_view group, std::string_view kind) {
  KindEffect row;
  row.group = group;
  row.kind = kind;
  return row;
}

KindEffect Needs(std::string_view group, std::string_view kind, std::string_view controller,
                 std::string_view text = kNothing) {
  KindEffect row = Simulated(group, kind);
  row.effect = Effect::kNeedsController;
  row.controller = controller;
  row.text = text;
  return row;
}

KindEffect None(std::string_view group, std::string_view kind, std::string_view why,
                std::string_view controller = {}) {
  KindEffect row = Simulated(group, kind);
  row.effect = Effect::kNone;
  row.controller = controller;
  row.text = why;
  return row;
}

KindEffect NeedsRbac(std::string_view kind) {
  KindEffect row = None(kRbac, kind, kNoRbac);
  row.with_rbac = true;
  return row;
}

std::vector<KindEffect> MakeKindEffects() {
  return {
      // Namespaces, nodes and pods: the API server, the scheduler and kubelets act on them.
      Simulated("", "Namespace"),
      Simulated("", "Node"),
      Simulated("", "Pod"),
      Needs("", "ReplicationController", "replicationcontroller"),
      Needs("", "Service", "endpointslice", "it gets no endpoints, and no traffic is simulated"),
      None("", "Endpoints", kNoTraffic),
      // Data: upstream too keeps it and does nothing of itself.
      Simulated("", "ConfigMap"),
      Simulated("", "Secret"),
      Simulated("", "ServiceAccount"),
      Simulated("", "Event"),
      None("", "PersistentVolume", kNoVolumes, "persistentvolume-binder"),
      None("", "PersistentVolumeClaim", kNoVolumes, "persistentvolume-binder"),
      Needs("", "ResourceQuota", "resourcequota", "nothing is counted, and it limits nothing"),
      Simulated("", "LimitRange"),  // admission reads it
      Simulated("", "PodTemplate"),
      Needs(kApps, "Deployment", "deployment"),
      Needs(kApps, "ReplicaSet", "replicaset"),
      Needs(kApps, "StatefulSet", "statefulset"),
      Needs(kApps, "DaemonSet", "daemonset"),
      Simulated(kApps, "ControllerRevision"),
      Needs(kBatch, "Job", "job"),
      Needs(kBatch, "CronJob", "cronjob"),
      Needs("autoscaling", "HorizontalPodAutoscaler", "horizontalpodautoscaler"),
      Needs("policy", "PodDisruptionBudget", "disruption",
            "evictions of its pods are refused for ever"),
      Simulated("coordination.k8s.io", "Lease"),
      None("discovery.k8s.io", "EndpointSlice", kNoTraffic),
      Simulated("events.k8s.io", "Event"),
      Simulated("scheduling.k8s.io", "PriorityClass"),  // admission and the scheduler read it
      None(kDevices, "DeviceClass", kNoDevices),
      None(kDevices, "ResourceClaim", kNoDevices, "resourceclaim"),
      None(kDevices, "ResourceClaimTemplate", kNoDevices, "resourceclaim"),
      None(kDevices, "ResourceSlice", kNoDevices),
      None(kNetworking, "Ingress", kNoTraffic),
      None(kNetworking, "IngressClass", kNoTraffic),
      None(kNetworking, "NetworkPolicy", kNoTraffic),
      None(kNetworking, "IPAddress", kNoTraffic),
      None(kNetworking, "ServiceCIDR", "services get no addresses of it", "service-cidr"),
      NeedsRbac("Role"),
      NeedsRbac("RoleBinding"),
      NeedsRbac("ClusterRole"),
      NeedsRbac("ClusterRoleBinding"),
      None(kStorage, "StorageClass", kNoVolumes, "persistentvolume-binder"),
      Needs(kStorage, "VolumeAttachment", "attachdetach", "volumes are not attached to nodes"),
      Needs(kStorage, "CSIDriver", "attachdetach", "its volumes are not attached to nodes"),
      None(kStorage, "CSINode", kNoDrivers),
      None(kStorage, "CSIStorageCapacity", kNoDrivers),
      None(kStorage, "VolumeAttributesClass", kNoDrivers, "volumeattributesclass-protection"),
      Simulated("node.k8s.io", "RuntimeClass"),                 // admission reads it
      Simulated(kAdmission, "ValidatingWebhookConfiguration"),  // the API server calls them
      Simulated(kAdmission, "MutatingWebhookConfiguration"),
      Simulated(kAdmission, "ValidatingAdmissionPolicy"),  // admission judges by them
      Simulated(kAdmission, "ValidatingAdmissionPolicyBinding"),
      None(kAdmission, "MutatingAdmissionPolicy", kNoPolicies),
      None(kAdmission, "MutatingAdmissionPolicyBinding", kNoPolicies),
      None(kFlow, "FlowSchema", kNoFlow),
      None(kFlow, "PriorityLevelConfiguration", kNoFlow),
      None("apiregistration.k8s.io", "APIService", "no other API server is asked"),
      Needs("certificates.k8s.io", "CertificateSigningRequest", "csrsigning"),
      Simulated("apiextensions.k8s.io", "CustomResourceDefinition"),
  };
}

}  // namespace

const std::vector<KindEffect>& KindEffects() {
  static const auto& all = *new std::vector<KindEffect>(MakeKindEffects());  // never destroyed
  return all;
}

const KindEffect* EffectOf(std::string_view group, std::string_view kind) {
  for (const KindEffect& row : KindEffects())
    if (row.kind == kind && row.group == group) return &row;
  return nullptr;
}

}  // namespace ksim::controllers
