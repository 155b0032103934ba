// A server with RBAC: what it begins with, whom it lets do what, and its words when it does not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "ksim/apiserver/core/access.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/rbac/bootstrap_policy.h"
#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using api::Verb;

constexpr const char* kAccount = "system:serviceaccount:default:web";

struct Rbac : World {
  explicit Rbac(Compat compat = Compat::k1_36) : World(Options(compat)) {}
  static WorldOptions Options(Compat compat) {
    WorldOptions options(compat);
    options.server.policy.rbac = true;
    options.server.policy.masters = {"my-process"};
    return options;
  }

  api::Response As(std::string user, Verb verb, std::string_view resource, std::string_view ns,
                   std::string_view name, value::Value body = {}) {
    api::Request r = Request(verb, resource, ns, name);
    r.user = std::move(user);
    r.body = std::move(body);
    if (verb == Verb::kPatch) r.patch_type = api::PatchType::kMerge;
    return Do(std::move(r));
  }
  std::string Said(std::string user, Verb verb, std::string_view resource, std::string_view ns,
                   std::string_view name, value::Value body = {}) {
    const api::Response r = As(std::move(user), verb, resource, ns, name, std::move(body));
    return r.status.code == 403 ? std::string(r.status.message.view()) : std::to_string(r.code);
  }

  void Role(const char* kind, std::string_view ns, std::string_view name, std::string_view rules) {
    Object(kind, ns, name, fmt::format(R"("rules":[{}])", rules));
  }
  // `role`: Role/NAME or ClusterRole/NAME.
  void Bind(const char* kind, std::string_view ns, std::string_view name, std::string_view role,
            std::string_view subject) {
    const std::size_t slash = role.find('/');
    Object(kind, ns, name,
           fmt::format(R"("subjects":[{}],"roleRef":{{"apiGroup":"rbac.authorization.k8s.io",)"
                       R"("kind":"{}","name":"{}"}})",
                       subject, role.substr(0, slash), role.substr(slash + 1)));
  }
  void Object(const char* kind, std::string_view ns, std::string_view name,
              std::string_view content) {
    const api::ResourceInfo* info = kinds.ByKind("rbac.authorization.k8s.io/v1", kind);
    const api::Response r = Create(
        info->resource, ns,
        Json(fmt::format(R"({{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"{}",)"
                         R"("metadata":{{"name":"{}"{}}},{}}})",
                         kind, name, ns.empty() ? "" : fmt::format(R"(,"namespace":"{}")", ns),
                         content)));
    ASSERT_EQ(r.code, 201) << r.status.message;
    Advance(Milliseconds(50));  // the watch caches hear of it
  }
};

constexpr const char* kWeb = R"({"kind":"ServiceAccount","name":"web","namespace":"default"})";
constexpr const char* kReadPods =
    R"({"verbs":["get","list","watch"],"apiGroups":[""],"resources":["pods"]})";

// API-250
TEST(Rbac, NothingIsAllowedButWhatARoleSays) {
  Rbac w;
  EXPECT_EQ(w.Said(kAccount, Verb::kList, "pods", "default", ""),
            "pods is forbidden: User \"system:serviceaccount:default:web\" cannot list resource "
            "\"pods\" in API group \"\" in the namespace \"default\"");
  w.Role("Role", "default", "reader", kReadPods);
  w.Bind("RoleBinding", "default", "reader", "Role/reader", kWeb);
  EXPECT_EQ(w.Said(kAccount, Verb::kList, "pods", "default", ""), "200");
  EXPECT_EQ(w.Said(kAccount, Verb::kList, "pods", "kube-system", ""),
            "pods is forbidden: User \"system:serviceaccount:default:web\" cannot list resource "
            "\"pods\" in API group \"\" in the namespace \"kube-system\"")
      << "a RoleBinding is of its namespace";
  EXPECT_EQ(w.Said(kAccount, Verb::kCreate, "pods", "default", "", Pod("default", "p")),
            "pods is forbidden: User \"system:serviceaccount:default:web\" cannot create resource "
            "\"pods\" in API group \"\" in the namespace \"default\"");
  EXPECT_EQ(w.Said(kAccount, Verb::kList, "deployments", "", ""),
            "deployments.apps is forbidden: User \"system:serviceaccount:default:web\" cannot list "
            "resource \"deployments\" in API group \"apps\" at the cluster scope");
}

// API-250
TEST(Rbac, ABindingOfTheClusterIsOfAllNamespaces) {
  Rbac w;
  w.Role("ClusterRole", "", "reader", kReadPods);
  w.Bind("ClusterRoleBinding", "", "reader", "ClusterRole/reader",
         R"({"kind":"Group","name":"system:serviceaccounts:default",)"
         R"("apiGroup":"rbac.authorization.k8s.io"})");
  EXPECT_EQ(w.Said(kAccount, Verb::kList, "pods", "", ""), "200");
  EXPECT_EQ(w.Said(kAccount, Verb::kList, "pods", "kube-system", ""), "200");
  EXPECT_NE(w.Said("system:serviceaccount:other:web", Verb::kList, "pods", "", ""), "200");
}

// API-250
TEST(Rbac, ARefusalTellsOfRolesThatAreMissing) {
  Rbac w;
  w.Bind("ClusterRoleBinding", "", "b", "ClusterRole/gone", kWeb);
  const std::string no =
      "pods is forbidden: User \"system:serviceaccount:default:web\" cannot list resource \"pods\" "
      "in API group \"\" in the namespace \"default\": RBAC: ";
  EXPECT_EQ(w.Said(kAccount, Verb::kList, "pods", "default", ""),
            no + "clusterrole.rbac.authorization.k8s.io \"gone\" not found");
  w.Bind("RoleBinding", "default", "c", "Role/lost", kWeb);
  EXPECT_EQ(w.Said(kAccount, Verb::kList, "pods", "default", ""),
            no + "[clusterrole.rbac.authorization.k8s.io \"gone\" not found, "
                 "role.rbac.authorization.k8s.io \"lost\" not found]");
}

// API-138
TEST(Rbac, ANameCountsForAListThatSelectsIt) {
  Rbac w;
  w.Role("Role", "default", "one",
         R"({"verbs":["list","watch"],"apiGroups":[""],"resources":["configmaps"],)"
         R"("resourceNames":["mine"]})");
  w.Bind("RoleBinding", "default", "one", "Role/one", kWeb);
  api::Request r = w.Request(Verb::kList, "configmaps", "default", "");
  r.user = kAccount;
  EXPECT_EQ(w.Do(r).code, 403);
  r.list.field_selector = "metadata.name=mine";
  EXPECT_EQ(w.Do(r).code, 200);
  r.list.field_selector = "metadata.name=other";
  EXPECT_EQ(w.Do(r).code, 403);
}

// API-138: a namespace's own name is where its objects' would be.
TEST(Rbac, ANamespaceIsInItself) {
  Rbac w;
  w.Role("Role", "default", "self",
         R"({"verbs":["get"],"apiGroups":[""],"resources":["namespaces"]})");
  w.Bind("RoleBinding", "default", "self", "Role/self", kWeb);
  EXPECT_EQ(w.Said(kAccount, Verb::kGet, "namespaces", "", "default"), "200");
  EXPECT_EQ(w.Said(kAccount, Verb::kGet, "namespaces", "", "kube-system"),
            "namespaces \"kube-system\" is forbidden: User \"system:serviceaccount:default:web\" "
            "cannot get resource \"namespaces\" in API group \"\" in the namespace "
            "\"kube-system\"");
}

// API-252
TEST(Rbac, WhoIsWho) {
  for (const Compat compat : kProfiles) {
    Rbac w(compat);
    const auto may = [&w](const char* user, Verb verb, const char* resource, const char* ns,
                          const char* name = "") {
      return w.As(user, verb, resource, ns, name).code != 403;
    };
    EXPECT_TRUE(may("system:admin", Verb::kList, "secrets", ""));
    EXPECT_TRUE(may("my-process", Verb::kList, "secrets", ""));
    EXPECT_TRUE(may("kubernetes-admin", Verb::kList, "secrets", ""));
    EXPECT_FALSE(may("somebody", Verb::kList, "secrets", ""));
    EXPECT_TRUE(may("system:kube-controller-manager", Verb::kList, "secrets", ""));
    EXPECT_FALSE(may("system:kube-controller-manager", Verb::kDelete, "pods", "default", "p"));
    EXPECT_TRUE(may("system:kube-scheduler", Verb::kDelete, "pods", "default", "p"));
    EXPECT_FALSE(may("system:kube-scheduler", Verb::kList, "secrets", ""));
    EXPECT_TRUE(may("system:serviceaccount:kube-system:replicaset-controller", Verb::kDelete,
                    "pods", "default", "p"));
    const auto admin = w.List("clusterrolebindings", "");
    const auto names = Names(admin);
    EXPECT_EQ(std::count(names.begin(), names.end(), "kubeadm:cluster-admins"),
              compat == Compat::k1_25 ? 0 : 1)
        << "1.25 has kubernetes-admin in system:masters";
  }
}

// API-252: what credentials do not say, impersonation does not say either.
TEST(Rbac, GroupsThatCredentialsNameStandAlone) {
  Rbac w;
  api::Request r = w.Request(Verb::kList, "secrets", "default", "");
  r.user = "kubernetes-admin";
  r.groups = "dev";
  EXPECT_EQ(w.Do(r).code, 403);
  r.groups = "system:masters";
  EXPECT_EQ(w.Do(r).code, 200);
}

// API-253
TEST(Rbac, AKubeletMayDoWhatNodesMay) {
  Rbac w;
  const auto said = [&w](Verb verb, const char* resource, const char* ns, const char* name) {
    return w.Said("system:node:node-1", verb, resource, ns, name);
  };
  EXPECT_EQ(said(Verb::kList, "pods", "", ""), "200");
  EXPECT_EQ(said(Verb::kGet, "nodes", "", "node-1"), "404");
  EXPECT_EQ(said(Verb::kList, "deployments", "", ""),
            "deployments.apps is forbidden: User \"system:node:node-1\" cannot list resource "
            "\"deployments\" in API group \"apps\" at the cluster scope");
  EXPECT_EQ(said(Verb::kGet, "leases", "kube-node-lease", "node-1"), "404");
  EXPECT_EQ(
      said(Verb::kGet, "leases", "kube-node-lease", "node-2"),
      "leases.coordination.k8s.io \"node-2\" is forbidden: User \"system:node:node-1\" cannot "
      "get resource \"leases\" in API group \"coordination.k8s.io\" in the namespace "
      "\"kube-node-lease\": can only access node lease with the same name as the requesting "
      "node");
  EXPECT_EQ(
      said(Verb::kGet, "leases", "default", "node-1"),
      "leases.coordination.k8s.io \"node-1\" is forbidden: User \"system:node:node-1\" cannot "
      "get resource \"leases\" in API group \"coordination.k8s.io\" in the namespace "
      "\"default\": can only access leases in the \"kube-node-lease\" system namespace");
}

// API-250: the next request is judged anew, a watch that is open goes on.
TEST(Rbac, WhoLosesARightNoticesAtTheNextRequest) {
  Rbac w;
  w.Role("Role", "default", "reader", kReadPods);
  w.Bind("RoleBinding", "default", "reader", "Role/reader", kWeb);
  api::Request watch = w.Request(Verb::kWatch, "pods", "default", "");
  watch.user = kAccount;
  watch.list.resource_version = "0";
  const auto open = w.StartWatch(watch);
  w.Advance(Milliseconds(50));
  EXPECT_EQ(open->response.code, 200);
  EXPECT_EQ(w.Delete("rolebindings", "default", "reader").code, 200);
  w.Advance(Milliseconds(50));
  EXPECT_EQ(w.Create("pods", "default", Pod("default", "p")).code, 201);
  w.Advance(Milliseconds(50));
  EXPECT_FALSE(open->closed);
  EXPECT_EQ(open->seen.size(), 1u);
  const auto again = w.StartWatch(watch);
  w.Advance(Milliseconds(50));
  EXPECT_EQ(again->response.code, 403);
}

// API-251
TEST(Rbac, TheServerMakesWhatRbacBeginsWith) {
  for (const Compat compat : kProfiles) {
    Rbac w(compat);
    const auto made = rbac::BootstrapPolicy(apiserver::ProfileOf(compat));
    EXPECT_GT(made.size(), 110u);
    std::size_t found = 0;
    for (const char* resource : {"clusterroles", "clusterrolebindings", "roles", "rolebindings"})
      found += w.List(resource, "").items.size();
    EXPECT_EQ(found, made.size());
    const api::Response view = w.Get("clusterroles", "", "view");
    EXPECT_EQ(value::ToJson(view.object.tree().Get("aggregationRule")),
              R"({"clusterRoleSelectors":[{"matchLabels":)"
              R"({"rbac.authorization.k8s.io/aggregate-to-view":"true"}}]})");
    EXPECT_EQ(view.object.Label("rbac.authorization.k8s.io/aggregate-to-edit"), "true");
    EXPECT_EQ(view.object.Label("kubernetes.io/bootstrapping"), "rbac-defaults");
    EXPECT_EQ(view.object.Annotation("rbac.authorization.kubernetes.io/autoupdate"), "true");
  }
}

// API-251: the profile's own rules, where versions differ.
TEST(Rbac, EachVersionHasItsOwnPolicy) {
  const auto json = [](Compat compat, const char* name) {
    for (const value::Value& object : rbac::BootstrapPolicy(apiserver::ProfileOf(compat)))
      if (object.Get("metadata").Get("name").AsString() == name)
        return value::ToJson(object.Get("rules"));
    return std::string();
  };
  const std::string self = R"({"apiGroups":["authentication.k8s.io"],)"
                           R"("resources":["selfsubjectreviews"],"verbs":["create"]})";
  EXPECT_EQ(json(Compat::k1_25, "system:basic-user").find(self), std::string::npos);
  EXPECT_NE(json(Compat::k1_30, "system:basic-user").find(self), std::string::npos);
  EXPECT_EQ(json(Compat::k1_30, "cluster-admin"),
            R"([{"apiGroups":["*"],"resources":["*"],"verbs":["*"]},)"
            R"({"nonResourceURLs":["*"],"verbs":["*"]}])");
  EXPECT_NE(json(Compat::k1_36, "system:controller:replicaset-controller")
                .find(R"({"apiGroups":["","events.k8s.io"],"resources":["events"],)"),
            std::string::npos)
      << json(Compat::k1_36, "system:controller:replicaset-controller");
}

// API-251: a second server, or a second start, finds it.
TEST(Rbac, WhatIsThereIsNotMadeAgain) {
  Rbac w;
  const std::int64_t before = w.revision();
  w.server().process().Kill();
  w.server().Start();
  w.RunUntil([&w] { return w.server().ready(); });
  EXPECT_EQ(w.revision(), before);
}

// --- escalation ---

value::Value RoleTree(std::string_view rules) {
  return Json(fmt::format(
      R"({{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{{"name":"new",)"
      R"("namespace":"default"}},"rules":[{}]}})",
      rules));
}

value::Value BindingTree(std::string_view kind, std::string_view role) {
  return Json(fmt::format(
      R"({{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":)"
      R"({{"name":"new","namespace":"default"}},"subjects":[{}],"roleRef":{{"apiGroup":)"
      R"("rbac.authorization.k8s.io","kind":"{}","name":"{}"}}}})",
      kWeb, kind, role));
}

// The account may write roles and bindings in the namespace, and read pods.
struct Writer : Rbac {
  explicit Writer(std::string_view more = "") {
    std::string rules = kReadPods;
    rules += R"(,{"verbs":["create","update","patch"],"apiGroups":["rbac.authorization.k8s.io"],)"
             R"("resources":["roles","rolebindings"]})";
    rules += more;
    Role("Role", "default", "writer", rules);
    Bind("RoleBinding", "default", "writer", "Role/writer", kWeb);
  }
};

constexpr const char* kDelete =
    R"({"verbs":["delete","get"],"apiGroups":["apps",""],"resources":["pods"]})";
const std::string kNotHeld =
    "is forbidden: user \"system:serviceaccount:default:web\" "
    "(groups=[\"system:serviceaccounts\" \"system:serviceaccounts:default\" "
    "\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n";

// API-254
TEST(Escalation, NobodyGrantsWhatHeDoesNotHold) {
  Writer w;
  EXPECT_EQ(w.Said(kAccount, Verb::kCreate, "roles", "default", "", RoleTree(kDelete)),
            "roles.rbac.authorization.k8s.io \"new\" " + kNotHeld +
                "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"delete\"]}\n"
                "{APIGroups:[\"apps\"], Resources:[\"pods\"], Verbs:[\"delete\" \"get\"]}");
  EXPECT_EQ(w.Said(kAccount, Verb::kCreate, "roles", "default", "", RoleTree(kReadPods)), "201");
  EXPECT_EQ(w.Said(kAccount, Verb::kPatch, "roles", "default", "new",
                   Json(fmt::format(R"({{"rules":[{}]}})", kDelete))),
            "roles.rbac.authorization.k8s.io \"new\" " + kNotHeld +
                "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"delete\"]}\n"
                "{APIGroups:[\"apps\"], Resources:[\"pods\"], Verbs:[\"delete\" \"get\"]}");
}

// API-254: an object that holds more already may still lose its owners and finalizers.
TEST(Escalation, TheCollectorsFieldsMayChange) {
  Writer w;
  w.Role("Role", "default", "big", kDelete);
  EXPECT_EQ(w.Said(kAccount, Verb::kPatch, "roles", "default", "big",
                   Json(R"({"metadata":{"finalizers":["example.com/x"]}})")),
            "200");
  EXPECT_NE(w.Said(kAccount, Verb::kPatch, "roles", "default", "big",
                   Json(R"({"metadata":{"labels":{"a":"b"}}})")),
            "200");
}

// API-254
TEST(Escalation, TheVerbEscalateLetsPass) {
  Writer w(R"(,{"verbs":["escalate"],"apiGroups":["rbac.authorization.k8s.io"],)"
           R"("resources":["roles"]})");
  EXPECT_EQ(w.Said(kAccount, Verb::kCreate, "roles", "default", "", RoleTree(kDelete)), "201");
}

// API-254
TEST(Escalation, NobodyBindsWhatHeDoesNotHold) {
  Writer w;
  w.Role("Role", "default", "big", kDelete);
  w.Role("Role", "default", "small", kReadPods);
  EXPECT_EQ(
      w.Said(kAccount, Verb::kCreate, "rolebindings", "default", "", BindingTree("Role", "big")),
      "rolebindings.rbac.authorization.k8s.io \"new\" " + kNotHeld +
          "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"delete\"]}\n"
          "{APIGroups:[\"apps\"], Resources:[\"pods\"], Verbs:[\"delete\" \"get\"]}");
  const api::Response none = w.As(kAccount, Verb::kCreate, "rolebindings", "default", "",
                                  BindingTree("ClusterRole", "none"));
  EXPECT_EQ(none.code, 404);
  EXPECT_EQ(none.status.message, "clusterroles.rbac.authorization.k8s.io \"none\" not found");
  EXPECT_EQ(
      w.Said(kAccount, Verb::kCreate, "rolebindings", "default", "", BindingTree("Role", "small")),
      "201");
}

// API-254: what he may do is read from etcd, and not from a cache that is behind.
TEST(Escalation, ReadsTheNewestRoles) {
  Writer w;
  w.server().faults().watch_cache(w.Kind("roles")).Freeze();
  const api::Response grown =
      w.Patch("roles", "default", "writer", api::PatchType::kJson,
              R"([{"op":"add","path":"/rules/-","value":{"verbs":["delete","get"],)"
              R"("apiGroups":["apps",""],"resources":["pods"]}}])");
  ASSERT_EQ(grown.code, 200) << grown.status.message;
  EXPECT_EQ(w.Said(kAccount, Verb::kCreate, "roles", "default", "", RoleTree(kDelete)), "201");
}

// API-254
TEST(Escalation, TheVerbBindLetsPass) {
  Writer w(R"(,{"verbs":["bind"],"apiGroups":["rbac.authorization.k8s.io"],)"
           R"("resources":["roles"],"resourceNames":["big"]})");
  w.Role("Role", "default", "big", kDelete);
  w.Role("Role", "default", "bigger", kDelete);
  EXPECT_NE(
      w.Said(kAccount, Verb::kCreate, "rolebindings", "default", "", BindingTree("Role", "bigger")),
      "201");
  EXPECT_EQ(
      w.Said(kAccount, Verb::kCreate, "rolebindings", "default", "", BindingTree("Role", "big")),
      "201");
}

// API-254
TEST(Escalation, AnAggregationRuleWantsEverything) {
  Rbac w;
  w.Role("ClusterRole", "", "writer",
         R"({"verbs":["create"],"apiGroups":["rbac.authorization.k8s.io"],)"
         R"("resources":["clusterroles"]})");
  w.Bind("ClusterRoleBinding", "", "writer", "ClusterRole/writer", kWeb);
  const value::Value gathering =
      Json(R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
           R"("metadata":{"name":"g"},)"
           R"("aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]},"rules":[]})");
  EXPECT_EQ(w.Said(kAccount, Verb::kCreate, "clusterroles", "", "", gathering),
            "clusterroles.rbac.authorization.k8s.io \"g\" is forbidden: must have cluster-admin "
            "privileges to use the aggregationRule");
  EXPECT_EQ(w.Said("kubernetes-admin", Verb::kCreate, "clusterroles", "", "", gathering), "201");
}

// --- those who ask besides the pipeline ---

// API-255
// API-256
TEST(Rbac, TheJudgeSaysTheSameOfReviewsAndPaths) {
  Rbac w;
  const AccessJudge& judge = w.server().access();
  api::Request request;
  request.user = kAccount;
  const User web = judge.UserOf(request);
  const Decision health = judge.Authorize(web, AccessOfPath("get", "/healthz"));
  EXPECT_TRUE(health.allowed);
  EXPECT_EQ(health.reason,
            "RBAC: allowed by ClusterRoleBinding \"system:discovery\" of ClusterRole "
            "\"system:discovery\" to Group \"system:authenticated\"");
  EXPECT_EQ(NotAuthorized(web, AccessOfPath("get", "/metrics"), "").message,
            "forbidden: User \"system:serviceaccount:default:web\" cannot get path \"/metrics\"");
  EXPECT_FALSE(judge.Authorize(web, AccessOfPath("get", "/metrics")).allowed);
  w.Role("Role", "default", "reader", kReadPods);
  w.Bind("RoleBinding", "default", "reader", "Role/reader",
         R"({"kind":"ServiceAccount","name":"web"})");
  Access list;
  list.verb = "list";
  list.resource = "pods";
  list.ns = "default";
  EXPECT_EQ(judge.Authorize(web, list).reason,
            "RBAC: allowed by RoleBinding \"reader/default\" of Role \"reader\" to ServiceAccount "
            "\"web/default\"");
  const KnownRules known = judge.RulesFor(web, "default");
  EXPECT_FALSE(known.incomplete);
  EXPECT_EQ(known.rules.back().resources, std::vector<std::string>{"pods"});
}

}  // namespace
}  // namespace ksim::apiserver
