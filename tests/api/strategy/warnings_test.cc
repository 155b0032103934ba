// The warnings of every kind but pods and pod templates, per version: rows of an object and its
// texts. Sources: pkg/registry/*/*/strategy.go WarningsOnCreate, WarningsOnUpdate;
// pkg/api/*/{util,warnings}.go and their tests.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/strategy/strategy.h"
#include "tests/api/fixture.h"

namespace ksim::api {
namespace {

using Texts = std::vector<std::string>;

const ResourceInfo& KindOfTree(Kinds& kinds, const value::Value& tree) {
  return *kinds.AddGeneric(tree.Get("apiVersion").AsString(), tree.Get("kind").AsString());
}

// The versions in which each text is given, "25 30 36".
struct Warning {
  std::string_view versions;
  std::string text;
};

Texts In(const std::vector<Warning>& warnings, std::string_view version) {
  Texts out;
  for (const Warning& w : warnings)
    if (w.versions.find(version) != w.versions.npos) out.push_back(w.text);
  return out;
}

constexpr std::string_view kVersions[] = {"25", "30", "36"};

struct Row {
  std::string object;
  std::vector<Warning> warnings;
};

std::string Meta(std::string_view version, std::string_view kind, std::string_view rest,
                 std::string_view metadata = "name: a") {
  return fmt::format("{{apiVersion: {}, kind: {}, metadata: {{{}}}, {}}}", version, kind, metadata,
                     rest);
}

std::string Service(std::string_view spec, std::string_view metadata = "name: a") {
  return Meta("v1", "Service", fmt::format("spec: {{{}}}", spec), metadata);
}

std::vector<Row> Rows() {
  const std::string beta_class = "volume.beta.kubernetes.io/storage-class";
  const std::string use_class = "deprecated since v1.8; use \"storageClassName\" attribute instead";
  return {
      {Meta("networking.k8s.io/v1", "Ingress", "spec: {}",
            "name: i, annotations: {kubernetes.io/ingress.class: nginx}"),
       {{"30 36",
         "annotation \"kubernetes.io/ingress.class\" is deprecated, please use "
         "'spec.ingressClassName' instead"}}},
      {Meta("networking.k8s.io/v1", "Ingress", "spec: {ingressClassName: x}",
            "name: i, annotations: {kubernetes.io/ingress.class: nginx}"),
       {}},
      {Meta("v1", "PersistentVolume",
            "spec: {persistentVolumeReclaimPolicy: Recycle, cephfs: {}, rbd: {}, glusterfs: {}, "
            "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: "
            "[{key: beta.kubernetes.io/os}, {key: node-role.kubernetes.io/master}]}]}}}",
            fmt::format("name: pv, annotations: {{{}: slow, "
                        "volume.beta.kubernetes.io/mount-options: ro}}",
                        beta_class)),
       {{"30 36", "metadata.annotations[" + beta_class + "]: " + use_class},
        {"36",
         "metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; "
         "use "
         "\"mountOptions\" attribute instead"},
        {"30 36",
         "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, "
         "the "
         "recommended approach is to use dynamic provisioning."},
        {"25 30 36",
         "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: "
         "beta.kubernetes.io/os is deprecated since v1.14; use \"kubernetes.io/os\" instead"},
        {"36",
         "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[1].key: "
         "node-role.kubernetes.io/master is use \"node-role.kubernetes.io/control-plane\" instead"},
        {"30 36", "spec.cephfs: deprecated in v1.28, non-functional in v1.31+"},
        {"30 36", "spec.glusterfs: deprecated in v1.25, non-functional in v1.26+"},
        {"30 36", "spec.rbd: deprecated in v1.28, non-functional in v1.31+"}}},
      {Meta("v1", "PersistentVolumeClaim",
            "spec: {resources: {requests: {storage: 1500m}, limits: {storage: 2Gi}}}",
            "name: c, annotations: {" + beta_class + ": slow}"),
       {{"30 36", "metadata.annotations[" + beta_class + "]: " + use_class},
        {"30 36",
         "spec.resources.requests[storage]: fractional byte value \"1500m\" is invalid, must be an "
         "integer"}}},
      {Meta("apps/v1", "StatefulSet",
            "spec: {revisionHistoryLimit: -1, volumeClaimTemplates: [{spec: {resources: {limits: "
            "{storage: 100m}}}}]}"),
       {{"30 36",
         "spec.volumeClaimTemplates[0].resources.limits[storage]: fractional byte value \"100m\" "
         "is "
         "invalid, must be an integer"},
        {"36",
         "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= "
         "0 "
         "is recommended"}}},
      {Meta("batch/v1", "Job",
            "spec: {completionMode: Indexed, completions: 100001, parallelism: 10001}"),
       {{"30 36",
         "spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism "
         "higher than 10^4, Kubernetes might not be able to track completedIndexes when a big "
         "number "
         "of indexes fail"}}},
      {Meta("batch/v1", "CronJob", "spec: {schedule: TZ=UTC 0 * * * *}"),
       {{"25",
         "CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see "
         "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"}}},
      {Meta(
           "v1", "ReplicationController",
           "spec: {template: {metadata: {annotations: {scheduler.alpha.kubernetes.io/critical-pod: "
           "''}}}}"),
       {{"25",
         "template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: "
         "non-functional "
         "in v1.16+; use the \"priorityClassName\" field instead"},
        {"30 36",
         "spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: "
         "non-functional in v1.16+; use the \"priorityClassName\" field instead"}}},
      {Meta(
           "v1", "PodTemplate",
           "template: {metadata: {annotations: {scheduler.alpha.kubernetes.io/critical-pod: ''}}}"),
       {{"25 30 36",
         "template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: "
         "non-functional "
         "in v1.16+; use the \"priorityClassName\" field instead"}}},
      {Meta("apps/v1", "ReplicaSet", "spec: {}", "name: a.b"),
       {{"30",
         "metadata.name: this is used in Pod names and hostnames, which can result in surprising "
         "behavior; a DNS label is recommended: [must not contain dots]"},
        {"36",
         "metadata.name: this is used in Pod names and hostnames, which can result in surprising "
         "behavior; a DNS label is recommended: [must not contain dots]"}}},
      {Meta("v1", "Node",
            "spec: {configSource: {}, externalID: x, podCIDRs: [10.0.0.1/8, 10.0.0.0/08]}"),
       {{"25", "spec.configSource: deprecated in v1.22, support removal is planned in v1.23"},
        {"30 36", "spec.configSource: the feature is removed"},
        {"30 36", "spec.externalID: this field is deprecated, and is unused by Kubernetes"},
        {"36",
         "spec.podCIDRs[0]: CIDR value \"10.0.0.1/8\" is ambiguous in this context (should be "
         "\"10.0.0.0/8\" or \"10.0.0.1/32\"?)"},
        {"36",
         "spec.podCIDRs[1]: non-standard CIDR value \"10.0.0.0/08\" is invalid: use "
         "\"10.0.0.0/8\""}}},
      {Meta("v1", "ResourceQuota",
            "spec: {hard: {cpu: 2, limits.cpu: 1, requests.memory: 2Gi, limits.memory: 1Gi, "
            "requests.storage: 1, limits.storage: 1}}"),
       {{"36", "ResourceQuota cpu (2) should be less than limits.cpu (1)"},
        {"36", "ResourceQuota requests.memory (2Gi) should be less than limits.memory (1Gi)"}}},
      {Meta("v1", "ServiceAccount", "secrets: []",
            "name: a, annotations: {kubernetes.io/enforce-mountable-secrets: x}"),
       {{"36",
         "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; "
         "prefer separate namespaces to isolate access to mounted secrets"}}},
      {Meta("v1", "Secret", "type: kubernetes.io/tls, data: {tls.crt: Zm9v, tls.key: Zm9v}"),
       {{"30 36", "tls: failed to find any PEM data in certificate input"}}},
      {Meta("v1", "Secret", "type: Opaque, data: {tls.crt: Zm9v}"), {}},
      {Meta("v1", "Endpoints",
            "subsets: [{addresses: [{ip: 010.0.0.1}], notReadyAddresses: [{ip: 'FE80::1'}]}]"),
       {{"36",
         "subsets[0].addresses[0].ip: non-standard IP address \"010.0.0.1\" is invalid: use "
         "\"10.0.0.1\""},
        {"36",
         "subsets[0].notReadyAddresses[0].ip: IPv6 address \"FE80::1\" should be in RFC 5952 "
         "canonical format (\"fe80::1\")"}}},
      {Meta("discovery.k8s.io/v1", "EndpointSlice",
            "addressType: FQDN, endpoints: [{addresses: ['::ffff:1.2.3.4', a.b]}]"),
       {{"30 36", "spec.addressType: FQDN endpoints are deprecated"},
        {"36",
         "endpoints[0].addresses[0]: non-standard IP address \"::ffff:1.2.3.4\" is invalid: use "
         "\"1.2.3.4\""}}},
      {Meta("discovery.k8s.io/v1", "EndpointSlice",
            "addressType: IPv4, endpoints: [{addresses: [010.0.0.1]}]",
            "name: a, labels: {endpointslice.kubernetes.io/managed-by: "
            "endpointslice-controller.k8s.io}"),
       {}},
      {Meta("networking.k8s.io/v1", "NetworkPolicy",
            "spec: {ingress: [{from: [{ipBlock: {cidr: 'FE80::/64', except: [10.0.0.0/8]}}]}], "
            "egress: [{to: [{}, {ipBlock: {cidr: 1.2.3.4/24}}]}]}"),
       {{"36",
         "spec.ingress[0].from[0].ipBlock.cidr: IPv6 CIDR value \"FE80::/64\" should be in RFC "
         "5952 "
         "canonical format (\"fe80::/64\")"},
        {"36",
         "spec.egress[0].to[1].ipBlock.cidr: CIDR value \"1.2.3.4/24\" is ambiguous in this "
         "context "
         "(should be \"1.2.3.0/24\" or \"1.2.3.4/32\"?)"}}},
      {Meta("storage.k8s.io/v1", "StorageClass",
            "allowedTopologies: [{matchLabelExpressions: [{key: "
            "failure-domain.beta.kubernetes.io/zone}]}]"),
       {{"25 30 36",
         "allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "
         "\"topology.kubernetes.io/zone\" instead"}}},
      {Meta("node.k8s.io/v1", "RuntimeClass",
            "scheduling: {nodeSelector: {beta.kubernetes.io/arch: x}}"),
       {{"25 30 36",
         "scheduling.nodeSelector: deprecated since v1.14; use \"kubernetes.io/arch\" instead"}}},
      {Meta("storage.k8s.io/v1", "CSIDriver", "spec: {tokenRequests: [{audience: a}]}"),
       {{"36",
         "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true "
         "to prevent possible logging of tokens in volume attributes"}}},
      {Meta("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "webhooks: []",
            "name: a.static.k8s.io"),
       {{"36",
         "metadata.name: names ending with \".static.k8s.io\" are reserved for static "
         "manifest-based configurations and cannot be managed via the API"}}},
      {Meta("example.com/v1", "Widget", "spec: {}", "name: a, finalizers: [z, a/b, orphan, b.c]"),
       {{"30",
         "metadata.finalizers: \"b.c\": prefer a domain-qualified finalizer name to avoid "
         "accidental conflicts with other finalizer writers"},
        {"36",
         "metadata.finalizers: \"b.c\": prefer a domain-qualified finalizer name including a path "
         "(/) to avoid accidental conflicts with other finalizer writers"},
        {"30 36",
         "metadata.finalizers: \"z\": prefer a domain-qualified finalizer name to avoid accidental "
         "conflicts with other finalizer writers"}}},
      {Service("type: ClusterIP, sessionAffinity: None",
               "name: a, annotations: {service.kubernetes.io/topology-aware-hints: auto}"),
       {{"30 36",
         "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use "
         "service.kubernetes.io/topology-mode instead"}}},
      {Service(
           "type: ClusterIP, clusterIP: None, sessionAffinity: ClientIP, externalIPs: [1.2.3.4]"),
       {{"36", "spec.externalIPs is ignored for headless services"},
        {"36", "spec.SessionAffinity is ignored for headless services"}}},
      {Service(
           "type: LoadBalancer, clusterIP: 010.0.0.1, externalIPs: ['2001:DB8::1'], "
           "loadBalancerIP: 1.2.3.4, loadBalancerSourceRanges: ['10.0.0.0/08'], externalName: x, "
           "trafficDistribution: PreferClose"),
       {{"30",
         "spec.clusterIPs[0]: IP address was accepted, but will be invalid in a future Kubernetes "
         "release: ParseAddr(\"010.0.0.1\"): IPv4 field has octet with leading zero"},
        {"36",
         "spec.clusterIPs[0]: non-standard IP address \"010.0.0.1\" is invalid: use \"10.0.0.1\""},
        {"30",
         "spec.externalIPs[0]: IPv6 address \"2001:DB8::1\" is not in RFC 5952 canonical format "
         "(\"2001:db8::1\"), which may cause controller apply-loops"},
        {"36",
         "spec.externalIPs[0]: IPv6 address \"2001:DB8::1\" should be in RFC 5952 canonical format "
         "(\"2001:db8::1\")"},
        {"36", "spec.externalIPs is deprecated and may no longer be implemented in some clusters"},
        {"30",
         "spec.loadBalancerSourceRanges[0]: IP prefix was accepted, but will be invalid in a "
         "future "
         "Kubernetes release: netip.ParsePrefix(\"10.0.0.0/08\"): bad bits after slash: \"08\""},
        {"36",
         "spec.loadBalancerSourceRanges[0]: non-standard CIDR value \"10.0.0.0/08\" is invalid: "
         "use "
         "\"10.0.0.0/8\""},
        {"30 36", "spec.externalName is ignored when spec.type is not \"ExternalName\""},
        {"36", "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\""}}},
      {Service("type: ExternalName, externalName: x, externalIPs: [1.2.3.4]"),
       {{"30 36", "spec.externalIPs is ignored when spec.type is \"ExternalName\""}}},
  };
}

// API-173
TEST(Warnings, OfACreateAreThoseOfEachVersion) {
  Kinds kinds;
  for (const Row& row : Rows()) {
    const value::Value tree = Yaml(row.object);
    for (std::size_t i = 0; i < std::size(kVersions); ++i)
      EXPECT_EQ(WarningsOnCreate(KindOfTree(kinds, tree), tree, kAllCompats[i]),
                In(row.warnings, kVersions[i]))
          << row.object << " in 1." << kVersions[i];
  }
}

// API-173
TEST(Warnings, OfAnUpdateAreThoseOfEachVersion) {
  struct Update {
    std::string before, after;
    std::string_view subresource;
    std::vector<Warning> warnings;
  };
  const std::string mountable =
      Meta("v1", "ServiceAccount", "secrets: []",
           "name: a, annotations: {kubernetes.io/enforce-mountable-secrets: x}");
  const auto cron = [](std::string_view schedule) {
    return Meta("batch/v1", "CronJob", fmt::format("spec: {{schedule: {}}}", schedule));
  };
  const auto widget = [](std::string_view finalizers) {
    return Meta("example.com/v1", "Widget", "spec: {}",
                fmt::format("name: a, finalizers: [{}]", finalizers));
  };
  const auto claims =
      Meta("apps/v1", "StatefulSet",
           "spec: {volumeClaimTemplates: [{spec: {resources: {requests: {storage: 100m}}}}]}");
  const auto controller = [](int generation, std::string_view annotations) {
    return Meta(
        "v1", "ReplicationController",
        fmt::format("spec: {{template: {{metadata: {{annotations: {{{}}}}}}}}}", annotations),
        fmt::format("name: a, generation: {}", generation));
  };
  const std::string old_annotation = "scheduler.alpha.kubernetes.io/critical-pod: ''";
  const Update rows[] = {
      {mountable, mountable, "", {}},
      {Meta("v1", "ServiceAccount", "secrets: []"),
       mountable,
       "",
       {{"36",
         "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; "
         "prefer separate namespaces to isolate access to mounted secrets"}}},
      {cron("1 * * * *"),
       cron("TZ=UTC 1 * * * *"),
       "",
       {{"25",
         "CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see "
         "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"},
        {"30 36",
         "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
         "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"}}},
      {widget("old"),
       widget("old, new"),
       "",
       {{"30 36",
         "metadata.finalizers: \"new\": prefer a domain-qualified finalizer name to avoid "
         "accidental conflicts with other finalizer writers"}}},
      {claims,
       claims,
       "",
       {{"30 36",
         "spec.volumeClaimTemplates[0].Spec.resources.requests[storage]: fractional byte value "
         "\"100m\" is invalid, must be an integer"}}},
      // rcStrategy hands the templates over the wrong way round.
      {controller(1, old_annotation),
       controller(2, ""),
       "",
       {{"25 30 36",
         "spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: "
         "non-functional in v1.16+; use the \"priorityClassName\" field instead"}}},
      {controller(1, ""), controller(2, old_annotation), "", {}},
      {Meta("v1", "Pod", "spec: {}"),
       Meta("v1", "Pod",
            "status: {podIPs: [{ip: 1.2.3.4}, {ip: 'A::1'}], hostIPs: [{ip: 01.2.3.4}]}"),
       "status",
       {{"36",
         "status.podIPs[1].ip: IPv6 address \"A::1\" should be in RFC 5952 canonical format "
         "(\"a::1\")"},
        {"36",
         "status.hostIPs[0].ip: non-standard IP address \"01.2.3.4\" is invalid: use "
         "\"1.2.3.4\""}}},
      {Service(""),
       Meta("v1", "Service", "status: {loadBalancer: {ingress: [{hostname: x}, {ip: 01.2.3.4}]}}"),
       "status",
       {{"36",
         "status.loadBalancer.ingress[1]: non-standard IP address \"01.2.3.4\" is invalid: use "
         "\"1.2.3.4\""}}},
      {Service(""), Service("type: ClusterIP, externalName: x"), "status", {}},
  };
  Kinds kinds;
  for (const Update& row : rows) {
    const value::Value before = Yaml(row.before), after = Yaml(row.after);
    for (std::size_t i = 0; i < std::size(kVersions); ++i)
      EXPECT_EQ(WarningsOnUpdate(KindOfTree(kinds, after), after, before, row.subresource,
                                 kAllCompats[i]),
                In(row.warnings, kVersions[i]))
          << row.after << " in 1." << kVersions[i];
  }
}

}  // namespace
}  // namespace ksim::api
