// Admission plugins, the system namespaces and pods/binding.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/apiserver/filters/authentication.h"
#include "ksim/apiserver/filters/authorization.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using value::Path;
using value::Value;

using Lines = std::vector<std::string>;

// API-127
TEST(NamespaceLifecycle, AMissingNamespaceIsNotFoundAfterAMoment) {
  World world;
  const VirtualTime before = world.sim.now();
  const api::Response r = world.Create("configmaps", "nowhere", ConfigMap("nowhere", "m"));
  EXPECT_EQ(r.code, 404);
  EXPECT_EQ(r.status.message, "namespaces \"nowhere\" not found");
  EXPECT_GE(world.sim.now() - before, Milliseconds(50));
}

// API-127
TEST(NamespaceLifecycle, ANewNamespaceIsFoundBehindAStaleCache) {
  World world;
  world.server().faults().watch_cache(world.Kind("namespaces")).Freeze();
  world.Create("namespaces", "", Json(R"({"metadata":{"name":"x"}})"));
  EXPECT_EQ(world.Create("configmaps", "x", ConfigMap("x", "m")).code, 201);
}

// API-128, CTRL-ADM-02
TEST(NamespaceLifecycle, NothingNewInATerminatingNamespace) {
  World world;
  world.Create("namespaces", "", Json(R"({"metadata":{"name":"x"}})"));
  world.Advance(Seconds(1));
  world.Create("configmaps", "x", ConfigMap("x", "old"));
  world.Delete("namespaces", "", "x");
  // The request follows at once: the cache may still have the phase Active, and admission does not
  // trust it (API-129).
  const api::Response r = world.Create("configmaps", "x", ConfigMap("x", "new"));
  EXPECT_EQ(r.code, 403);
  EXPECT_EQ(r.status.reason, "Forbidden");
  EXPECT_EQ(r.status.message,
            "configmaps \"new\" is forbidden: unable to create new content in namespace x because "
            "it is being terminated");
  ASSERT_EQ(r.status.details->causes.size(), 1u);
  EXPECT_EQ(r.status.details->causes[0].reason, "NamespaceTerminating");
  EXPECT_EQ(r.status.details->causes[0].field, "metadata.namespace");
  EXPECT_EQ(world.Update("configmaps", ConfigMap("x", "old", "2")).code, 200);
  EXPECT_EQ(world.Delete("configmaps", "x", "old").code, 200);
}

// API-129, CTRL-ADM-02
TEST(NamespaceLifecycle, ADeletionIsRememberedAgainstAStaleCache) {
  World world;
  world.Create("namespaces", "", Json(R"({"metadata":{"name":"x"}})"));
  world.Advance(Seconds(1));
  world.server().faults().watch_cache(world.Kind("namespaces")).Freeze();
  world.Delete("namespaces", "", "x");
  EXPECT_EQ(world.Create("configmaps", "x", ConfigMap("x", "m")).code, 403);
  world.Advance(Seconds(31));
  EXPECT_EQ(world.Create("configmaps", "x", ConfigMap("x", "m")).code, 201)
      << "half a minute later the cache is believed again";
}

// API-129, CTRL-ADM-02: admission remembers the deletion for 30 s, the last instant included.
TEST(NamespaceLifecycle, ADeletionIsRememberedForHalfAMinute) {
  for (const auto& [after, code] :
       {std::pair(Seconds(30), 403), std::pair(Seconds(30) + Nanoseconds(1), 201)}) {
    World world;
    world.Create("namespaces", "", Json(R"({"metadata":{"name":"x"}})"));
    world.Advance(Seconds(1));
    world.server().faults().watch_cache(world.Kind("namespaces")).Freeze();
    const VirtualTime deleted = world.sim.now();
    world.Delete("namespaces", "", "x");
    world.Advance(deleted + after - world.sim.now());
    EXPECT_EQ(world.Create("configmaps", "x", ConfigMap("x", "m")).code, code);
  }
}

// CTRL-ADM-02
TEST(NamespaceLifecycle, WhatHasNoNameYetIsUnknown) {
  World world;
  world.Create("namespaces", "", Json(R"({"metadata":{"name":"x"}})"));
  world.Delete("namespaces", "", "x");
  const Value unnamed = ConfigMap("x", "m").Erase(Path{"metadata", "name"});
  EXPECT_EQ(world.Create("configmaps", "x", unnamed).status.message,
            "configmaps \"Unknown\" is forbidden: unable to create new content in namespace x "
            "because it is being terminated");
}

// API-116
// API-130
// API-131
// API-132, CTRL-ADM-01
TEST(PodAdmission, GivesAPodWhatItLacks) {
  World world;
  const api::Object pod = world.Create("pods", "default", Pod("default", "p")).object;
  const Value& spec = pod.spec();
  EXPECT_EQ(spec.Get("serviceAccountName").AsString(), "default");
  EXPECT_EQ(spec.Get("priority").AsInt(), 0);
  EXPECT_EQ(spec.Get("preemptionPolicy").AsString(), "PreemptLowerPriority");
  ASSERT_EQ(spec.Get("tolerations").size(), 2u);
  EXPECT_EQ(spec.Get("tolerations").at(0),
            Json(R"({"key":"node.kubernetes.io/not-ready","operator":"Exists",
                     "effect":"NoExecute","tolerationSeconds":300})"));
  EXPECT_EQ(spec.Get("tolerations").at(1).Get("key").AsString(), "node.kubernetes.io/unreachable");
  ASSERT_EQ(spec.Get("volumes").size(), 1u);
  const std::string volume(spec.Get("volumes").at(0).Get("name").AsString());
  EXPECT_EQ(volume.size(), std::string("kube-api-access-").size() + 5);
  EXPECT_TRUE(volume.starts_with("kube-api-access-"));
  const Value& mount = spec.Get("containers").at(0).Get("volumeMounts").at(0);
  EXPECT_EQ(mount.Get("name").AsString(), volume);
  EXPECT_EQ(mount.Get("mountPath").AsString(), "/var/run/secrets/kubernetes.io/serviceaccount");
  EXPECT_TRUE(mount.Get("readOnly").AsBool());
}

// API-130
TEST(PodAdmission, MountsNoTokenWhereNoneIsWanted) {
  World world;
  Value pod =
      Pod("default", "p").Set(Path{"spec", "automountServiceAccountToken"}, Value::Of(false));
  EXPECT_FALSE(world.Create("pods", "default", pod).object.spec().Has("volumes"));
  pod =
      Pod("default", "q")
          .Set(
              *Path::Parse("spec.containers[0].volumeMounts"),
              Json(
                  R"([{"name":"v","mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}])"));
  pod = pod.Set(Path{"spec", "volumes"}, Json(R"([{"name":"v","emptyDir":{}}])"));
  EXPECT_EQ(world.Create("pods", "default", pod).object.spec().Get("volumes").size(), 1u);
}

// API-130, CTRL-ADM-01: serviceAccount is serviceAccountName's old name, in templates too.
TEST(PodAdmission, TheOldNameOfTheServiceAccountCounts) {
  struct Case {
    const char *spec, *name;
  };
  for (const Case& c : {Case{R"("serviceAccount":"builder")", "builder"},
                        Case{R"("serviceAccountName":"builder")", "builder"},
                        Case{R"("serviceAccountName":"a","serviceAccount":"b")", "a"}}) {
    World world;
    const std::string spec =
        "{" + std::string(c.spec) + R"(,"containers":[{"name":"c","image":"i:1"}]})";
    const api::Object pod =
        world.Create("pods", "default", Json(R"({"metadata":{"name":"p"},"spec":)" + spec + "}"))
            .object;
    const api::Object rs =
        world
            .Create("replicasets", "default",
                    Json(R"({"metadata":{"name":"r"},"spec":{"selector":{"matchLabels":{"a":"b"}},)"
                         R"("template":{"metadata":{"labels":{"a":"b"}},"spec":)" +
                         spec + "}}}"))
            .object;
    for (const Value& s : {pod.spec(), rs.spec().Get("template").Get("spec")}) {
      EXPECT_EQ(s.Get("serviceAccountName").AsString(), c.name) << c.spec;
      EXPECT_EQ(s.Get("serviceAccount").AsString(), c.name) << c.spec;
    }
  }
}

// API-130, CTRL-ADM-01
TEST(PodAdmission, GivesAPodThePullSecretsOfItsAccountUnlessItNamesSome) {
  World world;
  world.Create("serviceaccounts", "default",
               Json(R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default"},
                        "imagePullSecrets":[{"name":"a"},{"name":"b"}]})"));
  world.Advance(Seconds(1));
  const Path kSecrets{"spec", "imagePullSecrets"};
  EXPECT_EQ(world.Create("pods", "default", Pod("default", "p")).object.Get(kSecrets),
            Json(R"([{"name":"a"},{"name":"b"}])"));
  const Value own = Pod("default", "q").Set(kSecrets, Json(R"([{"name":"mine"}])"));
  EXPECT_EQ(world.Create("pods", "default", own).object.Get(kSecrets),
            Json(R"([{"name":"mine"}])"));
}

// API-132, CTRL-ADM-01
TEST(PodAdmission, LeavesTolerationsThatCover) {
  World world;
  const Value pod = Pod("default", "p")
                        .Set(Path{"spec", "tolerations"},
                             Json(R"([{"key":"node.kubernetes.io/not-ready","operator":"Exists",)"
                                  R"("effect":"NoExecute"}])"));
  const api::Object created = world.Create("pods", "default", pod).object;
  ASSERT_EQ(created.spec().Get("tolerations").size(), 2u);
  EXPECT_FALSE(created.spec().Get("tolerations").at(0).Has("tolerationSeconds"));
  const Value all =
      Pod("default", "q").Set(Path{"spec", "tolerations"}, Json(R"([{"operator":"Exists"}])"));
  EXPECT_EQ(world.Create("pods", "default", all).object.spec().Get("tolerations").size(), 1u);
}

// API-131
TEST(PodAdmission, PriorityComesFromTheClass) {
  World world;
  const Path kClass{"spec", "priorityClassName"};
  const Path kPriority{"spec", "priority"};
  ASSERT_EQ(world
                .Create("priorityclasses", "",
                        Json(R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass",
                                  "metadata":{"name":"high"},"value":1000,
                                  "preemptionPolicy":"Never"})"))
                .code,
            201);
  world.Advance(Seconds(1));
  const Value pod = Pod("default", "p");
  const api::Object high =
      world.Create("pods", "default", pod.Set(kClass, Value::Of("high"))).object;
  EXPECT_EQ(high.Get(kPriority).AsInt(), 1000);
  EXPECT_EQ(high.spec().Get("preemptionPolicy").AsString(), "Never");
  const Value other = Pod("default", "q");
  const api::Object system =
      world.Create("pods", "default", other.Set(kClass, Value::Of("system-node-critical"))).object;
  EXPECT_EQ(system.Get(kPriority).AsInt(), 2000001000);
  api::Response r = world.Create("pods", "default", other.Set(kClass, Value::Of("none")));
  EXPECT_EQ(r.code, 403);
  EXPECT_TRUE(r.status.message.ends_with("no PriorityClass with name none was found"));
  r = world.Create("pods", "default", other.Set(kPriority, Value::Of(7)));
  EXPECT_EQ(r.code, 403);
}

// API-131
TEST(PodAdmission, AGlobalDefaultClassCounts) {
  World world;
  world.Create("priorityclasses", "",
               Json(R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass",
                        "metadata":{"name":"usual"},"value":50,"globalDefault":true})"));
  world.Advance(Seconds(1));
  const api::Object pod = world.Create("pods", "default", Pod("default", "p")).object;
  EXPECT_EQ(pod.spec().Get("priority").AsInt(), 50);
  EXPECT_EQ(pod.spec().Get("priorityClassName").AsString(), "usual");
}

// API-131
TEST(PriorityClassAdmission, ThereIsOneDefault) {
  World world;
  const auto create = [&world](const char* name, bool is_default) {
    return world.Create("priorityclasses", "",
                        Json(fmt::format(R"({{"apiVersion":"scheduling.k8s.io/v1","kind":)"
                                         R"("PriorityClass","metadata":{{"name":"{}"}},"value":5,)"
                                         R"("globalDefault":{}}})",
                                         name, is_default)));
  };
  EXPECT_EQ(create("usual", true).code, 201);
  world.Advance(Seconds(1));
  const api::Response second = create("other", true);
  EXPECT_EQ(second.code, 403);
  EXPECT_EQ(second.status.message,
            "priorityclasses.scheduling.k8s.io \"other\" is forbidden: PriorityClass usual is "
            "already marked as default. Only one default can exist");
  EXPECT_EQ(create("third", false).code, 201);
  const char* const kMark = R"({"globalDefault":true})";
  const auto mark = [&](const char* name) {
    return world.Patch("priorityclasses", "", name, api::PatchType::kMerge, kMark).code;
  };
  EXPECT_EQ(mark("third"), 403);
  EXPECT_EQ(mark("usual"), 200) << "it is the default itself";
}

// API-132, CTRL-ADM-01
TEST(TaintNodesByCondition, TaintsANewNodeWhereItIsOn) {
  const Value node = Json(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}})");
  World without;
  EXPECT_FALSE(without.Create("nodes", "", node).object.spec().Has("taints"));
  World with(WorldOptions().Plugins({"TaintNodesByCondition"}));
  EXPECT_EQ(with.Create("nodes", "", node).object.spec().Get("taints"),
            Json(R"([{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}])"));
}

// API-126
TEST(Admission, PluginsRunInUpstreamsOrder) {
  EXPECT_EQ(AllAdmissionPlugins(),
            (Lines{"NamespaceLifecycle", "LimitRanger", "ServiceAccount", "NodeRestriction",
                   "TaintNodesByCondition", "PodSecurity", "Priority", "DefaultTolerationSeconds",
                   "DefaultStorageClass", "StorageObjectInUseProtection",
                   "OwnerReferencesPermissionEnforcement", "RuntimeClass", "PodTopologyLabels",
                   "MutatingAdmissionWebhook", "ValidatingAdmissionPolicy",
                   "ValidatingAdmissionWebhook", "ResourceQuota"}));
  EXPECT_EQ(DefaultAdmissionPlugins(Compat::k1_25).size(), 11u);
  EXPECT_EQ(DefaultAdmissionPlugins(Compat::k1_30).size(), 12u);
  EXPECT_EQ(DefaultAdmissionPlugins(Compat::k1_36)[8], "PodTopologyLabels");
  // The first error ends admission, whatever the objects' names: the namespace plugin runs before
  // the priority plugin.
  const Path kClass{"spec", "priorityClassName"};
  World world(WorldOptions().Plugins({"Priority", "NamespaceLifecycle"}));
  const Value pod = Pod("nowhere", "p").Set(kClass, Value::Of("none"));
  EXPECT_EQ(world.Create("pods", "nowhere", pod).code, 404);
  const Value here = Pod("default", "p").Set(kClass, Value::Of("none"));
  EXPECT_EQ(world.Create("pods", "default", here).code, 403);
  // All mutating plugins run before the validation.
  const Value invalid = here.Set(Path{"spec", "containers"}, Value::EmptyArray());
  EXPECT_EQ(world.Create("pods", "default", invalid).code, 403);
  EXPECT_EQ(world.Create("pods", "default", invalid.Erase(kClass)).code, 422);
}

// API-66
TEST(Admission, SeesAnObjectBeforeItsNameIsGenerated) {
  const Path kClass{"spec", "priorityClassName"};
  World world;
  Value pod = Pod("default", "").Set(kClass, Value::Of("none"));
  pod =
      pod.Set(Path{"metadata", "generateName"}, Value::Of("web-")).Erase(Path{"metadata", "name"});
  const api::Response r = world.Create("pods", "default", pod);
  EXPECT_EQ(r.code, 403);
  EXPECT_EQ(r.status.details->name, "web-");
  EXPECT_EQ(r.status.message,
            "pods \"web-\" is forbidden: no PriorityClass with name none was found");
}

// API-136
TEST(Authentication, PutsUsersInTheirGroups) {
  const auto groups = [](std::string_view user) {
    api::Request request;
    request.user = user;
    return Authenticate(request).groups;
  };
  EXPECT_EQ(groups(""), Lines{"system:unauthenticated"});
  EXPECT_EQ(groups("jane"), Lines{"system:authenticated"});
  EXPECT_EQ(groups("system:node:n1"), (Lines{"system:nodes", "system:authenticated"}));
  EXPECT_EQ(groups("system:apiserver"), (Lines{"system:masters", "system:authenticated"}));
  EXPECT_EQ(groups("system:serviceaccount:kube-system:job-controller"),
            (Lines{"system:serviceaccounts", "system:serviceaccounts:kube-system",
                   "system:authenticated"}));
}

// API-180
TEST(Authentication, PutsUsersInTheGroupsOfTheirCredentials) {
  const auto groups = [](std::string_view user, std::string_view named) {
    api::Request request;
    request.user = user;
    request.groups = named;
    return Authenticate(request).groups;
  };
  EXPECT_EQ(groups("jane", "dev\nops"), (Lines{"dev", "ops", "system:authenticated"}));
  EXPECT_EQ(groups("system:apiserver", "system:authenticated"), Lines{"system:authenticated"});
}

TEST(Authentication, RemembersNothingButWhatTheCredentialsSay) {
  Authenticator authenticator;
  api::Request request;
  using Row = std::pair<const char*, const char*>;
  for (const auto& [user, named] : {Row("", ""), Row("jane", ""), Row("system:node:n1", ""),
                                    Row("jane", "dev"), Row("jane", "dev\nops"), Row("jane", ""),
                                    Row("system:apiserver", ""), Row("jane", "dev"), Row("", "")}) {
    request.user = user;
    request.groups = named;
    const User& known = authenticator.Authenticate(request);
    const User anew = Authenticate(request);
    EXPECT_EQ(known.name, anew.name);
    EXPECT_EQ(known.groups, anew.groups);
    EXPECT_EQ(&authenticator.Authenticate(request), &known);
  }
}

// API-137
TEST(Authorization, ARefusalSaysWhoAndWhat) {
  const api::Kinds kinds;
  api::Request request;
  request.user = "jane";
  request.verb = api::Verb::kUpdate;
  request.resource = kinds.ByName("replicasets");
  request.subresource = "status";
  request.ns = "default";
  request.name = "r";
  const api::Status s = NotAuthorized(Authenticate(request), request);
  EXPECT_EQ(s.code, 403);
  EXPECT_EQ(s.message,
            "replicasets.apps \"r\" is forbidden: User \"jane\" cannot update resource "
            "\"replicasets/status\" in API group \"apps\" in the namespace \"default\"");
}

TEST(Bootstrap, TheSystemNamespacesAreThereWhenTheServerIsReady) {
  World world(WorldOptions().Servers(2));
  EXPECT_EQ(Names(world.List("namespaces", "")),
            (Lines{"default", "kube-node-lease", "kube-public", "kube-system"}));
  EXPECT_EQ(world.revision(), 5) << "the second server finds them";
}

class Binding : public ::testing::TestWithParam<Compat> {
 protected:
  Binding() : world(WorldOptions(GetParam())) {}
  bool new_profile() const { return GetParam() == Compat::k1_36; }
  World world;
};
INSTANTIATE_TEST_SUITE_P(Profiles, Binding,
                         ::testing::Values(Compat::k1_25, Compat::k1_30, Compat::k1_36));

// API-112
TEST_P(Binding, GivesAPodItsNode) {
  const api::Object pod = world.Create("pods", "default", Pod("default", "p")).object;
  auto watch = world.Watch("pods", "default", Options(std::to_string(world.revision())));
  world.Advance(Seconds(5));
  const api::Response r = world.Bind("default", "p", "n1");
  EXPECT_EQ(r.code, 201);
  EXPECT_TRUE(r.status.ok());
  const api::Object bound = world.Get("pods", "default", "p").object;
  EXPECT_EQ(bound.node_name(), "n1");
  EXPECT_EQ(bound.generation(), pod.generation());
  const Value& condition = bound.status().Get("conditions").at(0);
  EXPECT_EQ(condition.Get("type").AsString(), "PodScheduled");
  EXPECT_EQ(condition.Get("status").AsString(), "True");
  EXPECT_EQ(condition.Get("lastTransitionTime").AsString(), "2025-01-01T00:00:05Z");
  world.Advance(Seconds(1));
  ASSERT_EQ(watch->seen.size(), 1u);
  EXPECT_EQ(watch->last().type, api::WatchEventType::kModified);
}

// API-112
TEST_P(Binding, CarriesAnnotationsAndFrom136OnLabels) {
  world.Create("nodes", "", Json(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1",
    "labels":{"topology.kubernetes.io/zone":"z1","other":"x"}}})"));
  world.Create("pods", "default",
               Pod("default", "p").Set(Path{"status", "nominatedNodeName"}, Value::Of("n9")));
  world.Patch("pods", "default", "p", api::PatchType::kMerge,
              R"({"status":{"nominatedNodeName":"n9"}})", "status");
  world.Advance(Seconds(1));
  api::Request request = world.Request(api::Verb::kCreate, "pods", "default", "p");
  request.subresource = "binding";
  request.body = Json(R"({"metadata":{"name":"p","annotations":{"a":"1"},"labels":{"l":"2"}},
    "target":{"kind":"Node","name":"n1"}})");
  ASSERT_EQ(world.Do(request).code, 201);
  const api::Object pod = world.Get("pods", "default", "p").object;
  EXPECT_EQ(pod.Annotation("a"), "1");
  EXPECT_EQ(pod.Label("l"), new_profile() ? "2" : "");
  EXPECT_EQ(pod.Label("app"), "a");
  EXPECT_EQ(pod.Label("topology.kubernetes.io/zone"), new_profile() ? "z1" : "");
  EXPECT_EQ(pod.Label("other"), "");
  EXPECT_EQ(pod.status().Has("nominatedNodeName"), !new_profile());
}

// API-113
TEST_P(Binding, ChecksComeInOrder) {
  EXPECT_EQ(world.Bind("default", "none", "n1").code, 404);
  world.Create("pods", "default", Pod("default", "p"));
  ASSERT_EQ(world.Bind("default", "p", "n1").code, 201);
  api::Response r = world.Bind("default", "p", "n1");
  EXPECT_EQ(r.code, 409);
  EXPECT_EQ(r.status.details->kind, "pods/binding");
  EXPECT_EQ(r.status.message,
            "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to "
            "node \"n1\"");
  ASSERT_EQ(world.Delete("pods", "default", "p").code, 200);
  r = world.Bind("default", "p", "n1");
  EXPECT_EQ(r.code, 409);
  EXPECT_TRUE(r.status.message.ends_with("pod p is being deleted, cannot be assigned to a host"));
  world.Create("pods", "default",
               Pod("default", "gated")
                   .Set(value::Path{"spec", "schedulingGates"}, Json(R"([{"name":"x/wait"}])")));
  r = world.Bind("default", "gated", "n1");
  EXPECT_EQ(r.code, GetParam() == Compat::k1_25 ? 201 : 409) << "1.25 has no gates";
  if (r.code == 409) {
    EXPECT_TRUE(r.status.message.ends_with("pod gated has non-empty .spec.schedulingGates"));
  }
}

// API-114
TEST_P(Binding, RefusesBadTargetsUnmappedAndOtherNames) {
  world.Create("pods", "default", Pod("default", "p"));
  api::Request request = world.Request(api::Verb::kCreate, "pods", "default", "p");
  request.subresource = "binding";
  request.body = Json(R"({"metadata":{"name":"p"},"target":{"kind":"Zone","name":"n"}})");
  api::Response r = world.Do(request);
  EXPECT_EQ(r.code, 500);
  EXPECT_EQ(r.status.reason, "");
  EXPECT_NE(r.status.message.find("target.kind"), std::string::npos);
  request.body = Json(R"({"metadata":{"name":"q"},"target":{"kind":"Node","name":"n"}})");
  EXPECT_EQ(world.Do(request).code, 400);
  request.body =
      Json(R"({"metadata":{"name":"p","uid":"other"},"target":{"kind":"Node","name":"n"}})");
  EXPECT_EQ(world.Do(request).code, 409);
}

}  // namespace
}  // namespace ksim::apiserver
