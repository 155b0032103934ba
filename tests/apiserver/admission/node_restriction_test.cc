// NodeRestriction, where it is switched on: what a kubelet may change, and the words of a refusal.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using api::PatchType;
using api::Verb;
using value::Path;
using value::Value;

constexpr const char* kKubelet = "system:node:n1";

Value NodeNamed(std::string_view name, std::string_view more = "") {
  return Json(fmt::format(R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{}"{}}}}})",
                          name, more));
}

// Nodes n1 and n2, and a pod on each: mine and theirs. Everybody may do everything else.
struct Restricted : World {
  explicit Restricted(Compat compat = Compat::k1_36, bool on = true) : World(Options(compat, on)) {
    for (const char* name : {"n1", "n2"}) EXPECT_EQ(Create("nodes", "", NodeNamed(name)).code, 201);
    EXPECT_EQ(Create("pods", "default", apiserver::Pod("default", "mine", "n1")).code, 201);
    EXPECT_EQ(Create("pods", "default", apiserver::Pod("default", "theirs", "n2")).code, 201);
    Advance(Milliseconds(50));  // the watch caches hear of them
  }
  static WorldOptions Options(Compat compat, bool on) {
    WorldOptions options(compat);
    options.server.admission_plugins = DefaultAdmissionPlugins(compat);
    if (on) options.server.admission_plugins.emplace_back("NodeRestriction");
    return options;
  }

  // The server's answer to the kubelet of n1: the message of a refusal, else the code.
  std::string Said(api::Request r) {
    if (r.user == "system:admin") r.user = kKubelet;
    const api::Response answer = Do(std::move(r));
    return answer.code == 403 || answer.code == 404 ? std::string(answer.status.message.view())
                                                    : std::to_string(answer.code);
  }
  std::string Writes(Verb verb, std::string_view resource, std::string_view ns,
                     std::string_view name, Value body, std::string_view sub = {}) {
    api::Request r = Request(verb, resource, ns, name);
    r.subresource = sub;
    r.body = std::move(body);
    if (verb == Verb::kPatch) r.patch_type = PatchType::kMerge;
    return Said(std::move(r));
  }
  std::string Patches(std::string_view resource, std::string_view ns, std::string_view name,
                      std::string_view patch, std::string_view sub = {}) {
    return Writes(Verb::kPatch, resource, ns, name, Json(patch), sub);
  }
  std::string Deletes(std::string_view resource, std::string_view ns, std::string_view name) {
    api::Request r = Request(Verb::kDelete, resource, ns, name);
    r.del.grace_period_seconds = 0;
    return Said(std::move(r));
  }
  std::string Evicts(std::string_view pod) {
    return Writes(Verb::kCreate, "pods", "default", pod,
                  Json(fmt::format(R"({{"apiVersion":"policy/v1","kind":"Eviction","metadata":)"
                                   R"({{"name":"{}","namespace":"default"}}}})",
                                   pod)),
                  "eviction");
  }
  std::string Creates(std::string_view resource, std::string_view ns, Value body) {
    return Writes(Verb::kCreate, resource, ns, "", std::move(body));
  }

  // A mirror pod of n1, with the Node's uid.
  Value MirrorPod(std::string_view name = "mirror") {
    const std::string uid(Get("nodes", "", "n1").object.uid());
    return apiserver::Pod("default", name, "n1")
        .Set(Path{"metadata", "annotations"}, Json(R"({"kubernetes.io/config.mirror":"x"})"))
        .Set(Path{"metadata", "ownerReferences"},
             Json(fmt::format(R"([{{"apiVersion":"v1","kind":"Node","name":"n1","uid":"{}",)"
                              R"("controller":true}}])",
                              uid)));
  }
};

// API-139
TEST(NodeRestriction, APodOfAnotherNodeMayNotBeDeletedOrEvicted) {
  Restricted w;
  EXPECT_EQ(w.Deletes("pods", "default", "theirs"),
            "pods \"theirs\" is forbidden: node \"n1\" can only delete pods with spec.nodeName set "
            "to itself");
  EXPECT_EQ(w.Evicts("theirs"),
            "pods \"theirs\" is forbidden: node n1 can only evict pods with spec.nodeName set to "
            "itself");
  EXPECT_EQ(w.Deletes("pods", "default", "none"), "pod \"none\" not found");
  EXPECT_EQ(w.Evicts("none"), "pod \"none\" not found");
  EXPECT_EQ(w.Deletes("pods", "default", "mine"), "200");
  EXPECT_EQ(w.Create("pods", "default", Pod("default", "mine", "n1")).code, 201);
  w.Advance(Milliseconds(50));
  EXPECT_EQ(w.Evicts("mine"), "201");
}

// API-139
TEST(NodeRestriction, APodOfAnotherNodeMayNotBeReportedOn) {
  Restricted w;
  const char* const kPhase = R"({"status":{"phase":"Running"}})";
  EXPECT_EQ(w.Patches("pods", "default", "theirs", kPhase, "status"),
            "pods \"theirs\" is forbidden: node \"n1\" can only update pod status for pods with "
            "spec.nodeName set to itself");
  EXPECT_EQ(w.Patches("pods", "default", "mine", kPhase, "status"), "200");
  EXPECT_EQ(
      w.Patches("pods", "default", "mine", R"({"metadata":{"labels":{"app":"b"}}})", "status"),
      "pods \"mine\" is forbidden: node \"n1\" cannot update labels through pod status");
  EXPECT_EQ(w.Patches("pods", "default", "mine",
                      R"({"status":{"resourceClaimStatuses":[{"name":"a"}]}})", "status"),
            "pods \"mine\" is forbidden: node \"n1\" cannot update resource claim statues");
  const char* const kExtended =
      R"({"status":{"extendedResourceClaimStatus":{"resourceClaimName":"a",)"
      R"("requestMappings":[]}}})";
  EXPECT_EQ(w.Patches("pods", "default", "mine", kExtended, "status"),
            "pods \"mine\" is forbidden: node \"n1\" cannot update extended resource claim status");
  Restricted old(Compat::k1_30);
  EXPECT_EQ(old.Patches("pods", "default", "mine", kExtended, "status"), "200");
}

// API-139
TEST(NodeRestriction, NothingElseOfAPodIsAKubelets) {
  Restricted w;
  EXPECT_EQ(w.Patches("pods", "default", "mine", R"({"metadata":{"labels":{"app":"b"}}})"),
            "pods \"mine\" is forbidden: unexpected operation \"UPDATE\", node \"n1\" can only "
            "create and delete mirror pods");
  EXPECT_EQ(w.Writes(Verb::kCreate, "pods", "default", "mine",
                     Json(R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"mine",)"
                          R"("namespace":"default"},"target":{"kind":"Node","name":"n1"}})"),
                     "binding"),
            "pods \"mine\" is forbidden: unexpected pod subresource \"binding\", only 'status' and "
            "'eviction' are allowed");
}

// API-139
TEST(NodeRestriction, AKubeletMakesMirrorPodsOfItsOwnNode) {
  Restricted w;
  const auto said = [&w](const Value& pod) { return w.Creates("pods", "default", pod); };
  const std::string no = "pods \"mirror\" is forbidden: ";
  const Value good = w.MirrorPod();
  const Path owners{"metadata", "ownerReferences"};
  const Value owner = good.Get(owners).at(0);
  const auto owned = [&](const Value& by) { return good.Set(owners, value::Arr({by})); };
  EXPECT_EQ(said(good.Erase(Path{"metadata", "annotations"})),
            no + "pod does not have \"kubernetes.io/config.mirror\" annotation, node \"n1\" can "
                 "only create mirror pods");
  EXPECT_EQ(said(good.Set(Path{"spec", "nodeName"}, Value::Of("n2"))),
            no + "node \"n1\" can only create pods with spec.nodeName set to itself");
  const std::string itself =
      no + "node \"n1\" can only create pods with an owner reference set to itself";
  EXPECT_EQ(said(good.Erase(owners)), itself);
  EXPECT_EQ(said(owned(owner.Set("name", Value::Of("n2")))), itself);
  EXPECT_EQ(said(good.Set(owners, value::Arr({owner, owner.Set("uid", Value::Of("u"))}))),
            no + "node \"n1\" can only create pods with a single owner reference set to itself");
  EXPECT_EQ(
      said(owned(owner.Set("controller", Value::Bool(false)))),
      no + "node \"n1\" can only create pods with a controller owner reference set to itself");
  EXPECT_EQ(said(owned(owner.Set("blockOwnerDeletion", Value::Bool(true)))),
            no + "node \"n1\" must not set blockOwnerDeletion on an owner reference");
  EXPECT_EQ(
      said(owned(owner.Set("uid", Value::Of("u")))),
      no + fmt::format("node n1 UID mismatch: expected u got {}", owner.Get("uid").AsString()));
  EXPECT_EQ(said(good), "201");
  w.Delete("nodes", "", "n1");
  w.Advance(Milliseconds(50));
  EXPECT_EQ(said(good), "node \"n1\" not found");
}

// API-139
TEST(NodeRestriction, AMirrorPodRefersToNothing) {
  const struct {
    const char *spec, *old, *recent;  // what is named; "": nothing
  } rows[] = {
      {R"({"serviceAccountName":"a"})", "a service account", "serviceaccounts"},
      {R"({"imagePullSecrets":[{"name":"s"}]})", "secrets", "secrets"},
      {R"({"containers":[{"name":"c","image":"i","env":[{"name":"E","valueFrom":{"secretKeyRef":)"
       R"({"name":"s","key":"k"}}}]}]})",
       "secrets", "secrets"},
      {R"({"containers":[{"name":"c","image":"i","envFrom":[{"configMapRef":{"name":"m"}}]}]})",
       "configmaps", "configmaps"},
      {R"({"volumes":[{"name":"v","secret":{"secretName":"s"}}]})", "secrets", "secrets"},
      {R"({"volumes":[{"name":"v","projected":{"sources":[{"configMap":{"name":"m"}}]}}]})",
       "configmaps", "configmaps"},
      {R"({"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"p"}}]})",
       "persistentvolumeclaims", "persistentvolumeclaims"},
      {R"({"resourceClaims":[{"name":"r","resourceClaimName":"x"}]})", "", "resourceclaims"},
      {R"({"volumes":[{"name":"v","csi":{"driver":"d"}}]})", "", "csidrivers (via CSI volumes)"},
      {R"({"volumes":[{"name":"v","azureFile":{"shareName":"d"}}]})", "",
       "secrets (via azureFile volumes)"},
      {R"({"volumes":[{"name":"v","projected":{"sources":[{"serviceAccountToken":)"
       R"({"path":"t"}}]}}]})",
       "", "serviceaccounts (via projected volumes)"},
      {R"({"volumes":[{"name":"v","projected":{"sources":[{"clusterTrustBundle":{"name":"b",)"
       R"("path":"t"}}]}}]})",
       "clustertrustbundles", "clustertrustbundles"},
      {R"({"volumes":[{"name":"v","hostPath":{"path":"/x"}},{"name":"w","emptyDir":{}}]})", "", ""},
  };
  for (const Compat compat : {Compat::k1_30, Compat::k1_36}) {
    Restricted w(compat);
    for (const auto& row : rows) {
      Value pod = w.MirrorPod();
      const Value spec = Json(row.spec);
      for (const Value::Member& m : spec.members())
        pod = pod.Set(Path{"spec", m.name.text()}, m.value);
      const std::string named = compat == Compat::k1_30 ? row.old : row.recent;
      const std::string said = w.Creates("pods", "default", pod);
      const std::string prefix =
          "pods \"mirror\" is forbidden: node \"n1\" can not create pods that reference ";
      if (named.empty()) {
        EXPECT_EQ(said.find(prefix), std::string::npos) << row.spec << said;
        w.Deletes("pods", "default", "mirror");
        w.Advance(Milliseconds(50));
      } else {
        EXPECT_EQ(said, prefix + named) << row.spec;
      }
    }
  }
}

// API-139
TEST(NodeRestriction, AnotherNodeMayNotBeTouched) {
  Restricted w;
  const char* const kReady = R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})";
  EXPECT_EQ(w.Patches("nodes", "", "n2", kReady, "status"),
            "nodes \"n2\" is forbidden: node \"n1\" is not allowed to modify node \"n2\"");
  EXPECT_EQ(w.Patches("nodes", "", "n1", kReady, "status"), "200");
  EXPECT_EQ(w.Creates("nodes", "", NodeNamed("n3")),
            "nodes \"n3\" is forbidden: node \"n1\" is not allowed to modify node \"n3\"");
  EXPECT_EQ(w.Deletes("nodes", "", "n2"),
            "nodes \"n2\" is forbidden: node \"n1\" is not allowed to modify node \"n2\"");
  EXPECT_EQ(w.Deletes("nodes", "", "n1"), "200");
  EXPECT_EQ(w.Creates("nodes", "", NodeNamed("n1")), "201");
}

// API-259
TEST(NodeRestriction, AKubeletMayNotTaintItsNode) {
  Restricted w;
  const char* const kTaint = R"({"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}})";
  EXPECT_EQ(w.Patches("nodes", "", "n1", kTaint),
            "nodes \"n1\" is forbidden: node \"n1\" is not allowed to modify taints");
  EXPECT_EQ(w.Patch("nodes", "", "n1", PatchType::kMerge, kTaint).code, 200) << "others may";
  EXPECT_EQ(w.Patches("nodes", "", "n1", R"({"spec":{"taints":null}})"),
            "nodes \"n1\" is forbidden: node \"n1\" is not allowed to modify taints");
  EXPECT_EQ(w.Deletes("nodes", "", "n1"), "200");
  Value node = NodeNamed("n1");
  node = node.Set(Path{"spec", "taints"}, Json(kTaint).Get(Path{"spec", "taints"}));
  EXPECT_EQ(w.Creates("nodes", "", node), "201") << "it registers with taints";
  Restricted alone;
  alone.shared.kubelets_taint = true;
  EXPECT_EQ(alone.Patches("nodes", "", "n1", kTaint), "200") << "nobody else would";
}

// API-259
TEST(NodeRestriction, LabelsThatKubeletsDoNotSetAreRefused) {
  const struct {
    const char* key;
    bool allowed;
  } rows[] = {{"mine", true},
              {"example.com/x", true},
              {"kubernetes.io/hostname", true},
              {"topology.kubernetes.io/zone", true},
              {"beta.kubernetes.io/os", true},
              {"node.kubernetes.io/instance-type", true},
              {"kubelet.kubernetes.io/x", true},
              {"a.kubelet.kubernetes.io/x", true},
              {"a.node.kubernetes.io/x", true},
              {"notkubernetes.io/x", true},
              {"kubernetes.io/x", false},
              {"other.kubernetes.io/x", false},
              {"k8s.io/x", false},
              {"a.k8s.io/x", false},
              {"node-role.kubernetes.io/master", false},
              {"node-restriction.kubernetes.io/x", false},
              {"a.node-restriction.kubernetes.io/x", false},
              {"akubelet.kubernetes.io/x", false}};
  Restricted w;
  for (const auto& row : rows) {
    const std::string said = w.Patches(
        "nodes", "", "n1", fmt::format(R"({{"metadata":{{"labels":{{"{}":"v"}}}}}})", row.key));
    EXPECT_EQ(said, row.allowed ? "200"
                                : fmt::format("nodes \"n1\" is forbidden: is not allowed to modify "
                                              "labels: {}",
                                              row.key));
  }
}

// API-259
TEST(NodeRestriction, ALabelThatChangesOrGoesCountsAsOneThatIsSet) {
  Restricted w;
  const char* const kLabels = R"({"metadata":{"labels":{"k8s.io/a":"1","kubernetes.io/b":"1"}}})";
  EXPECT_EQ(w.Patch("nodes", "", "n1", PatchType::kMerge, kLabels).code, 200);
  EXPECT_EQ(w.Patches("nodes", "", "n1", kLabels), "200") << "they are as they were";
  EXPECT_EQ(
      w.Patches("nodes", "", "n1",
                R"({"metadata":{"labels":{"k8s.io/a":"2","kubernetes.io/b":null}}})"),
      "nodes \"n1\" is forbidden: is not allowed to modify labels: k8s.io/a, kubernetes.io/b");
  EXPECT_EQ(w.Deletes("nodes", "", "n1"), "200");
  EXPECT_EQ(w.Creates("nodes", "", NodeNamed("n1", R"(,"labels":{"k8s.io/b":"","k8s.io/a":"1"})")),
            "nodes \"n1\" is forbidden: node \"n1\" is not allowed to set the following labels: "
            "k8s.io/a, k8s.io/b");
}

// API-139
TEST(NodeRestriction, TheOwnersOfANodeAreNotItsKubelets) {
  const char* const kOwner =
      R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n2",)"
      R"("uid":"u"}]}})";
  Restricted w;
  EXPECT_EQ(w.Patches("nodes", "", "n1", kOwner),
            "nodes \"n1\" is forbidden: node \"n1\" is not allowed to modify ownerReferences");
  Restricted old(Compat::k1_30);
  EXPECT_EQ(old.Patches("nodes", "", "n1", kOwner), "200");
}

// API-139
TEST(NodeRestriction, ANewConfigSourceIsRefused) {
  Restricted w;
  const char* const kSource = R"({"spec":{"configSource":{"configMap":{"name":"m","namespace":"n",)"
                              R"("kubeletConfigKey":"k"}}}})";
  EXPECT_EQ(w.Patches("nodes", "", "n1", kSource),
            "nodes \"n1\" is forbidden: node \"n1\" is not allowed to update configSource to a new "
            "non-nil configSource");
  EXPECT_EQ(w.Deletes("nodes", "", "n1"), "200");
  const Value node = NodeNamed("n1").Set("spec", Json(kSource).Get("spec"));
  EXPECT_EQ(w.Creates("nodes", "", node),
            "nodes \"n1\" is forbidden: node \"n1\" is not allowed to create pods with a non-nil "
            "configSource");
}

// API-139
TEST(NodeRestriction, ALeaseIsThatOfTheNode) {
  Restricted w;
  const auto lease = [](const char* ns, const char* name) {
    return Json(fmt::format(R"({{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":)"
                            R"({{"name":"{}","namespace":"{}"}}}})",
                            name, ns));
  };
  EXPECT_EQ(w.Creates("leases", "default", lease("default", "n1")),
            "leases.coordination.k8s.io \"n1\" is forbidden: can only access leases in the "
            "\"kube-node-lease\" system namespace");
  const std::string other =
      "leases.coordination.k8s.io \"n2\" is forbidden: can only access node lease with the same "
      "name as the requesting node";
  EXPECT_EQ(w.Creates("leases", "kube-node-lease", lease("kube-node-lease", "n2")), other);
  EXPECT_EQ(w.Deletes("leases", "kube-node-lease", "n2"), other);
  EXPECT_EQ(w.Creates("leases", "kube-node-lease", lease("kube-node-lease", "n1")), "201");
}

// API-139
TEST(NodeRestriction, ACsiNodeIsThatOfTheNode) {
  Restricted w;
  const auto named = [](const char* name) {
    return Json(fmt::format(R"({{"apiVersion":"storage.k8s.io/v1","kind":"CSINode","metadata":)"
                            R"({{"name":"{}"}},"spec":{{"drivers":[]}}}})",
                            name));
  };
  EXPECT_EQ(w.Creates("csinodes", "", named("n2")),
            "csinodes.storage.k8s.io \"n2\" is forbidden: can only access CSINode with the same "
            "name as the requesting node");
  EXPECT_EQ(w.Creates("csinodes", "", named("n1")), "201");
}

// API-139
TEST(NodeRestriction, OfAClaimTheSizeMayChange) {
  Restricted w;
  const char* const kMade =
      R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"p","namespace":)"
      R"("default"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":)"
      R"("1Gi"}}}})";
  EXPECT_EQ(w.Create("persistentvolumeclaims", "default", Json(kMade)).code, 201);
  const auto said = [&w](const char* patch, const char* sub) {
    return w.Patches("persistentvolumeclaims", "default", "p", patch, sub);
  };
  EXPECT_EQ(said(R"({"status":{"capacity":{"storage":"1Gi"}}})", "status"), "200");
  EXPECT_EQ(said(R"({"status":{"allocatedResources":{"storage":"1Gi"}}})", "status"), "200");
  EXPECT_EQ(said(R"({"metadata":{"labels":{"a":"b"}}})", ""),
            "persistentvolumeclaims \"p\" is forbidden: may only update PVC status");
  const std::string phase = said(R"({"status":{"phase":"Bound"}})", "status");
  EXPECT_TRUE(
      phase.starts_with("persistentvolumeclaims \"p\" is forbidden: node \"n1\" is not "
                        "allowed to update fields other than status.quantity and "
                        "status.conditions: "))
      << phase;
}

// API-139: it is a kubelet who is in system:nodes and is called as one.
TEST(NodeRestriction, KnowsAKubeletByNameAndGroup) {
  Restricted w;
  const auto said = [&w](const char* user, const char* groups) {
    api::Request r = w.Request(Verb::kDelete, "pods", "default", "theirs");
    r.user = user;
    r.groups = groups;
    r.dry_run = true;
    return w.Said(std::move(r));
  };
  EXPECT_EQ(said("jane", "system:nodes"), "200");
  EXPECT_EQ(said("system:node:n1", "dev"), "200");
  EXPECT_EQ(said("system:node:n2", "system:nodes"), "200");
  EXPECT_EQ(said("system:node:", "system:nodes"),
            "pods \"theirs\" is forbidden: could not determine node from user \"system:node:\"");
  Restricted off(Compat::k1_36, false);
  EXPECT_EQ(off.Deletes("pods", "default", "theirs"), "200") << "off by default";
}

}  // namespace
}  // namespace ksim::apiserver
