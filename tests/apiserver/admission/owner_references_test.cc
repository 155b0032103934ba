// OwnerReferencesPermissionEnforcement, where it is switched on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Verb;

constexpr const char* kAccount = "system:serviceaccount:default:web";

struct Owners : World {
  explicit Owners(bool rbac = true, bool on = true) : World(Options(rbac, on)) {
    if (!rbac) return;
    Grant("configmaps", R"("create","get","update")");
  }
  static WorldOptions Options(bool rbac, bool on) {
    WorldOptions options;
    options.server.policy.rbac = rbac;
    options.server.admission_plugins = DefaultAdmissionPlugins(options.compat);
    if (on) options.server.admission_plugins.emplace_back("OwnerReferencesPermissionEnforcement");
    return options;
  }
  // A ClusterRole of the resource's name, bound to the account.
  void Grant(const std::string& resource, const std::string& verbs, const char* group = "") {
    std::string name = resource;
    if (const std::size_t slash = name.find('/'); slash != name.npos) name[slash] = '-';
    EXPECT_EQ(Create("clusterroles", "",
                     Json(fmt::format(
                         R"({{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
                         R"("metadata":{{"name":"{}"}},"rules":[{{"verbs":[{}],"apiGroups":["{}"],)"
                         R"("resources":["{}"]}}]}})",
                         name, verbs, group, resource)))
                  .code,
              201);
    EXPECT_EQ(
        Create("clusterrolebindings", "",
               Json(fmt::format(
                   R"({{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",)"
                   R"("metadata":{{"name":"{0}"}},"roleRef":{{"kind":"ClusterRole","name":"{0}",)"
                   R"("apiGroup":"rbac.authorization.k8s.io"}},"subjects":[{{"kind":)"
                   R"("ServiceAccount","name":"web","namespace":"default"}}]}})",
                   name)))
            .code,
        201);
    Advance(Milliseconds(50));
  }
  static value::Value Owned(bool blocks, const char* kind = "ReplicaSet") {
    return ConfigMap("default", "m")
        .Set(value::Path{"metadata", "ownerReferences"},
             Json(fmt::format(R"([{{"apiVersion":"apps/v1","kind":"{}","name":"r","uid":"u-1",)"
                              R"("blockOwnerDeletion":{}}}])",
                              kind, blocks)));
  }
  std::string Said(Verb verb, const value::Value& body) {
    api::Request r = Request(verb, "configmaps", "default", verb == Verb::kCreate ? "" : "m");
    r.user = kAccount;
    r.body = body;
    const api::Response answer = Do(std::move(r));
    return answer.code == 403 ? std::string(answer.status.message.view())
                              : std::to_string(answer.code);
  }
};

const std::string kNoFinalizers =
    "configmaps \"m\" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a "
    "resource you can't set finalizers on: , <nil>";

// API-257
TEST(OwnerReferences, BlockingAnOwnerWantsItsFinalizers) {
  Owners w;
  EXPECT_EQ(w.Said(Verb::kCreate, Owners::Owned(true)), kNoFinalizers);
  w.Grant("replicasets/finalizers", R"("update")", "apps");
  EXPECT_EQ(w.Said(Verb::kCreate, Owners::Owned(true)), "201");
}

// API-257
TEST(OwnerReferences, AnOwnerThatIsNotBlockedIsFreeAtCreation) {
  Owners w;
  EXPECT_EQ(w.Said(Verb::kCreate, Owners::Owned(false)), "201");
  EXPECT_EQ(w.Said(Verb::kUpdate, Owners::Owned(true)),
            "configmaps \"m\" is forbidden: cannot set an ownerRef on a resource you can't delete: "
            ", <nil>");
  EXPECT_EQ(w.Said(Verb::kUpdate, Owners::Owned(false)), "200") << "nothing of it changes";
  w.Grant("configmaps/delete", R"("delete")");  // of another resource
  EXPECT_NE(w.Said(Verb::kUpdate, Owners::Owned(true)), "200");
}

// API-257
TEST(OwnerReferences, WhoMayDeleteStillNeedsTheFinalizersOfNewBlockedOwners) {
  Owners w;
  EXPECT_EQ(w.Said(Verb::kCreate, Owners::Owned(false)), "201");
  EXPECT_EQ(w.Create("clusterroles", "",
                     Json(R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
                          R"("metadata":{"name":"x"},"rules":[]})"))
                .code,
            201);
  EXPECT_EQ(w.Patch("clusterroles", "", "configmaps", api::PatchType::kJson,
                    R"([{"op":"add","path":"/rules/0/verbs/-","value":"delete"}])")
                .code,
            200);
  w.Advance(Milliseconds(50));
  EXPECT_EQ(w.Said(Verb::kUpdate, Owners::Owned(true)), kNoFinalizers);
}

// API-257
TEST(OwnerReferences, AnUnknownKindOfOwnerIsRefused) {
  Owners w;
  EXPECT_EQ(w.Said(Verb::kCreate, Owners::Owned(true, "Thing")),
            "configmaps \"m\" is forbidden: cannot set blockOwnerDeletion in this case because "
            "cannot find RESTMapping for APIVersion apps/v1 Kind Thing: no matches for kind "
            "\"Thing\" in version \"apps/v1\"");
}

// API-257: off by default, and without RBAC everybody may.
TEST(OwnerReferences, IsOffUnlessItIsNamedAndSomebodyJudges) {
  Owners off(true, false);
  EXPECT_EQ(off.Said(Verb::kCreate, Owners::Owned(true)), "201");
  Owners free(false, true);
  EXPECT_EQ(free.Said(Verb::kCreate, Owners::Owned(true)), "201");
}

}  // namespace
}  // namespace ksim::apiserver
