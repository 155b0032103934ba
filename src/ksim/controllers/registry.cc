#include "ksim/controllers/registry.h"

#include "ksim/controllers/attachdetach/attach_detach_controller.h"
#include "ksim/controllers/clusterroleaggregation/cluster_role_aggregation_controller.h"
#include "ksim/controllers/cronjob/cronjob_controller.h"
#include "ksim/controllers/daemonset/daemonset_controller.h"
#include "ksim/controllers/deployment/deployment_controller.h"
#include "ksim/controllers/disruption/disruption_controller.h"
#include "ksim/controllers/endpoint/endpoints_controller.h"
#include "ksim/controllers/endpointslice/endpointslice_controller.h"
#include "ksim/controllers/endpointslicemirroring/mirroring_controller.h"
#include "ksim/controllers/ephemeral/ephemeral_volume_controller.h"
#include "ksim/controllers/garbagecollector/garbage_collector.h"
#include "ksim/controllers/job/job_controller.h"
#include "ksim/controllers/namespace/namespace_controller.h"
#include "ksim/controllers/nodeipam/node_ipam_controller.h"
#include "ksim/controllers/nodelifecycle/node_lifecycle_controller.h"
#include "ksim/controllers/persistentvolume/pv_controller.h"
#include "ksim/controllers/podautoscaler/horizontal_controller.h"
#include "ksim/controllers/podgc/podgc_controller.h"
#include "ksim/controllers/pvcprotection/pvc_protection_controller.h"
#include "ksim/controllers/pvprotection/pv_protection_controller.h"
#include "ksim/controllers/replicaset/replicaset_controller.h"
#include "ksim/controllers/replicationcontroller/replication_manager.h"
#include "ksim/controllers/resourcequota/resource_quota_controller.h"
#include "ksim/controllers/root_ca/root_ca_publisher.h"
#include "ksim/controllers/samples/samples.h"
#include "ksim/controllers/serviceaccount/service_account_controller.h"
#include "ksim/controllers/statefulset/statefulset_controller.h"
#include "ksim/controllers/tainteviction/taint_eviction_controller.h"
#include "ksim/controllers/ttlafterfinished/ttl_after_finished_controller.h"

namespace ksim::controllers {
namespace {

// In the order of `ksim explain controllers`. All that Kubernetes 1.36 has are here, by the names
// that --controllers of kube-controller-manager takes (those of 1.25 where it had them).
//
// Sources: cmd/kube-controller-manager/names/controller_names.go, and the aliases in app/*.go;
// staging/src/k8s.io/cloud-provider/names/controller_names.go.
ControllerRows BuiltInControllers() {
  return {
      {.name = "replicaset",
       .text = "Keeps the number of pods of a ReplicaSet.",
       .upstream = "replicaset-controller",
       .make = &MakeController<ReplicaSetController>,
       .workload = "replicasets",
       .expects_pods = true,
       .variants = {"rs.createTimeout", "rs.expectations"}},
      {.name = "deployment",
       .text = "Rolls ReplicaSets of a Deployment.",
       .upstream = "deployment-controller",
       .make = &MakeController<deployment::DeploymentController>,
       .variants = {"deployment.hashCollision"}},
      {.name = "statefulset",
       .text = "Pods with an identity.",
       .upstream = "statefulset-controller",
       .make = &MakeController<StatefulSetController>,
       .workload = "statefulsets",
       .variants = {"sts.brokenRollback", "sts.revisionSync"}},
      {.name = "daemonset",
       .text = "A pod on every node.",
       .upstream = "daemonset-controller",
       .make = &MakeController<DaemonSetController>,
       .workload = "daemonsets",
       .expects_pods = true,
       .variants = {"rs.expectations"}},
      {.name = "job",
       .text = "Pods that run to completion.",
       .upstream = "job-controller",
       .make = &MakeController<JobController>,
       .finalizers = {"batch.kubernetes.io/job-tracking"},
       .variants = {"job.finalizerUIDs"}},
      {.name = "cronjob",
       .text = "Jobs on a schedule.",
       .upstream = "cronjob-controller",
       .make = &MakeController<CronJobController>},
      {.name = "endpointslice",
       .text = "Endpoints of Services.",
       .upstream = "endpointslice-controller",
       .make = &MakeController<EndpointSliceController>},
      {.name = "namespace",
       .text = "Empties deleted namespaces.",
       .upstream = "namespace-controller",
       .make = &MakeController<NamespaceController>,
       .finalizers = {"kubernetes"}},
      {.name = "serviceaccount",
       .text = "The default service account of each namespace.",
       .upstream = "serviceaccount-controller",
       .make = &MakeController<ServiceAccountController>},
      {.name = "garbagecollector",
       .text = "Deletes what has lost its owner.",
       .upstream = "garbage-collector-controller",
       .called = "garbage collector",
       .make = &MakeController<GarbageCollector>,
       .finalizers = {"foregroundDeletion", "orphan"},
       .variants = {"gc.absentOwners", "gc.scope"}},
      {.name = "nodelifecycle",
       .text = "Marks and taints nodes that do not report.",
       .upstream = "node-lifecycle-controller",
       .called = "node lifecycle controller",
       .make = &MakeController<NodeLifecycleController>,
       .variants = {"nodelifecycle.fullDisruption", "nodelifecycle.probeClock"}},
      {.name = "tainteviction",
       .text = "Deletes pods that do not tolerate a taint.",
       .upstream = "taint-eviction-controller",
       .called = "taint eviction controller",
       .make = &MakeController<TaintEvictionController>,
       .in_profile = &Profile::separate_taint_eviction,
       .part_of = "nodelifecycle"},
      {.name = "podgc",
       .text = "Deletes pods of nodes that are gone.",
       .upstream = "pod-garbage-collector-controller",
       .called = "pod garbage collector",
       .make = &MakeController<PodGcController>},
      {.name = "disruption",
       .text = "Says how many pods of a PodDisruptionBudget may go.",
       .upstream = "disruption-controller",
       .make = &MakeController<DisruptionController>},
      {.name = "horizontalpodautoscaler",
       .text = "Scales by load.",
       .upstream = "horizontal-pod-autoscaler-controller",
       .called = "horizontal pod autoscaler",
       .make = &MakeController<HorizontalController>},
      {.name = "resourcequota",
       .text = "Counts what a namespace uses.",
       .upstream = "resourcequota-controller",
       .make = &MakeController<ResourceQuotaController>,
       .second_part = kQuotaMonitorPart},
      {.name = "ttlafterfinished",
       .text = "Deletes finished Jobs.",
       .upstream = "ttl-after-finished-controller",
       .make = &MakeController<TtlAfterFinishedController>},
      {.name = "replicationcontroller",
       .text = "Keeps the number of pods of a ReplicationController.",
       .upstream = "replicationcontroller-controller",
       .make = &MakeController<ReplicationManager>,
       .workload = "replicationcontrollers",
       .expects_pods = true},
      {.name = "endpoint",
       .text = "Endpoints, the older form.",
       .upstream = "endpoints-controller",
       .make = &MakeController<EndpointsController>,
       .variants = {"endpoint.noopWrite"}},
      {.name = "endpointslicemirroring",
       .text = "EndpointSlices of Endpoints that somebody else wrote.",
       .upstream = "endpointslice-mirroring-controller",
       .make = &MakeController<MirroringController>},
      {.name = "serviceaccount-token",
       .text = "Tokens in Secrets of service accounts.",
       .upstream = "serviceaccount-token-controller",
       .called = "service account token controller"},
      {.name = "legacy-service-account-token-cleaner",
       .text = "Deletes tokens in Secrets that nobody uses.",
       .upstream = "legacy-serviceaccount-token-cleaner-controller"},
      {.name = "csrsigning",
       .text = "Signs CertificateSigningRequests.",
       .upstream = "certificatesigningrequest-signing-controller"},
      {.name = "csrapproving",
       .text = "Approves CertificateSigningRequests of kubelets.",
       .upstream = "certificatesigningrequest-approving-controller"},
      {.name = "csrcleaner",
       .text = "Deletes old CertificateSigningRequests.",
       .upstream = "certificatesigningrequest-cleaner-controller"},
      {.name = "podcertificaterequest-cleaner",
       .text = "Deletes old PodCertificateRequests.",
       .upstream = "podcertificaterequest-cleaner-controller"},
      {.name = "root-ca-cert-publisher",
       .text = "A ConfigMap kube-root-ca.crt in each namespace.",
       .upstream = "root-ca-certificate-publisher-controller",
       .make = &MakeController<RootCaPublisher>},
      {.name = "service-ca-cert-publisher",
       .text = "A ConfigMap with the authority of services in each namespace.",
       .upstream = "service-ca-certificate-publisher-controller"},
      {.name = "kube-apiserver-serving-clustertrustbundle-publisher",
       .text = "A ClusterTrustBundle with the authority of the API server.",
       .upstream = "kube-apiserver-serving-clustertrustbundle-publisher-controller"},
      {.name = "bootstrapsigner",
       .text = "Signs the ConfigMap cluster-info.",
       .upstream = "bootstrap-signer-controller",
       .by_name_only = true},
      {.name = "tokencleaner",
       .text = "Deletes bootstrap tokens that have run out.",
       .upstream = "token-cleaner-controller",
       .by_name_only = true},
      {.name = "ttl",
       .text = "How long kubelets may cache, by the size of the cluster.",
       .upstream = "ttl-controller"},
      {.name = "nodeipam",
       .text = "Gives each node a range of addresses.",
       .upstream = "node-ipam-controller",
       .make = &MakeController<NodeIpamController>,
       .by_name_only = true},  // upstream with --allocate-node-cidrs
      {.name = "persistentvolume-binder",
       .text = "Binds claims to volumes.",
       .upstream = "persistentvolume-binder-controller",
       .called = "volume binder",
       .make = &MakeController<PersistentVolumeController>,
       .second_part = kProvisionerPart},
      {.name = "attachdetach",
       .text = "Attaches volumes to nodes.",
       .upstream = "persistentvolume-attach-detach-controller",
       .called = "attach-detach controller",
       .make = &MakeController<AttachDetachController>,
       .second_part = kAttacherPart},
      {.name = "persistentvolume-expander",
       .text = "Makes volumes larger.",
       .upstream = "persistentvolume-expander-controller"},
      {.name = "pvc-protection",
       .text = "Keeps claims that pods use.",
       .upstream = "persistentvolumeclaim-protection-controller",
       .make = &MakeController<PvcProtectionController>,
       .finalizers = {"kubernetes.io/pvc-protection"}},
      {.name = "pv-protection",
       .text = "Keeps volumes that are bound.",
       .upstream = "persistentvolume-protection-controller",
       .make = &MakeController<PvProtectionController>,
       .finalizers = {"kubernetes.io/pv-protection"}},
      {.name = "volumeattributesclass-protection",
       .text = "Keeps VolumeAttributesClasses that claims use.",
       .upstream = "volumeattributesclass-protection-controller",
       .finalizers = {"kubernetes.io/vac-protection"}},
      {.name = "ephemeral-volume",
       .text = "Claims of ephemeral volumes.",
       .upstream = "ephemeral-volume-controller",
       .make = &MakeController<EphemeralVolumeController>},
      {.name = "selinux-warning",
       .text = "Warns of pods whose volumes clash in their SELinux labels.",
       .upstream = "selinux-warning-controller"},
      {.name = "resourceclaim",
       .text = "ResourceClaims of pods.",
       .upstream = "resourceclaim-controller"},
      {.name = "resourcepoolstatusrequest",
       .text = "Answers ResourcePoolStatusRequests.",
       .upstream = "resourcepoolstatusrequest-controller"},
      {.name = "device-taint-eviction",
       .text = "Deletes pods that do not tolerate a taint of a device.",
       .upstream = "device-taint-eviction-controller"},
      {.name = "podgroup-protection",
       .text = "Keeps PodGroups that pods use.",
       .upstream = "podgroup-protection-controller"},
      {.name = "clusterrole-aggregation",
       .text = "Rules of ClusterRoles made of others.",
       .upstream = "clusterrole-aggregation-controller",
       .make = &MakeController<ClusterRoleAggregationController>},
      {.name = "validatingadmissionpolicy-status",
       .text = "Type checks of ValidatingAdmissionPolicies.",
       .upstream = "validatingadmissionpolicy-status-controller"},
      {.name = "service-cidr",
       .text = "Ranges of the addresses of Services.",
       .upstream = "service-cidr-controller"},
      {.name = "storage-version-gc",
       .text = "Deletes StorageVersions of API servers that are gone.",
       .upstream = "storageversion-garbage-collector-controller"},
      {.name = "svm",
       .text = "Writes objects anew at their storage version.",
       .upstream = "storage-version-migrator-controller"},
      {.name = "service",
       .text = "Load balancers of Services.",
       .upstream = "service-lb-controller",
       .cloud = true,
       .finalizers = {"service.kubernetes.io/load-balancer-cleanup"}},
      {.name = "route",
       .text = "Routes between nodes.",
       .upstream = "node-route-controller",
       .cloud = true},
      {.name = "cloud-node",
       .text = "Addresses and labels of nodes from the cloud.",
       .upstream = "cloud-node-controller",
       .cloud = true},
      {.name = "cloud-node-lifecycle",
       .text = "Deletes nodes whose machines are gone.",
       .upstream = "cloud-node-lifecycle-controller",
       .cloud = true},
  };
}

// The rows of each file of samples/.
constexpr ControllerRows (*kSamples[])() = {
    &KeeperSamples,      &EdgeSamples,       &TombstoneSamples, &ReadbackSamples,
    &RequeueSamples,     &PredicateSamples,  &VersionsSamples,  &RetrySamples,
    &StartSamples,       &DoneSamples,       &IdentitySamples,  &CleanupSamples,
    &ExpectationSamples, &NumberSamples,     &AbsenceSamples,   &PatchSamples,
    &SwallowSamples,     &StormSamples,      &BynameSamples,    &FinalizerSamples,
    &ExistsSamples,      &GenerationSamples, &ClockSamples,     &TerminatingSamples,
    &OwnerSamples,       &BookmarkSamples,   &LateSamples};

ControllerRows MakeAll() {
  ControllerRows all = BuiltInControllers();
  for (ControllerRows (*const samples)() : kSamples)
    for (ControllerInfo& sample : samples()) all.push_back(std::move(sample));
  return all;
}

}  // namespace

const std::vector<ControllerInfo>& AllControllers() {
  static const ControllerRows& all = *new ControllerRows(MakeAll());  // never destroyed
  return all;
}

const ControllerInfo* FindController(std::string_view name) {
  for (const ControllerInfo& controller : AllControllers())
    if (controller.name == name) return &controller;
  return nullptr;
}

const ControllerInfo* ControllerOf(std::string_view workload) {
  for (const ControllerInfo& controller : AllControllers())
    if (!controller.is_sample() && controller.workload == workload) return &controller;
  return nullptr;
}

const ControllerInfo* ControllerOfFinalizer(std::string_view finalizer) {
  for (const ControllerInfo& controller : AllControllers())
    for (const std::string_view removed : controller.finalizers)
      if (removed == finalizer) return &controller;
  return nullptr;
}

}  // namespace ksim::controllers
