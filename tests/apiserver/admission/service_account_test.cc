// ServiceAccount admission where a controller makes the accounts.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

Value Account(std::string_view name, std::string_view more = "") {
  return Json(R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":")" +
              std::string(name) + "\"" + std::string(more) + "}}");
}

Value PodOf(std::string_view account) {
  const Value pod = Pod("default", "p");
  if (account.empty()) return pod;
  return pod.Set(Path{"spec", "serviceAccountName"}, Value::Of(account));
}

struct Required : World {
  Required() { shared.service_accounts_made = true; }
};

// API-130
TEST(ServiceAccountAdmission, RefusesAPodWhoseAccountIsMissing) {
  Required w;
  VirtualTime before = w.sim.now();
  api::Response r = w.Create("pods", "default", PodOf("builder"));
  EXPECT_EQ(r.code, 403);
  EXPECT_EQ(r.status.message,
            "pods \"p\" is forbidden: error looking up service account default/builder: "
            "serviceaccount \"builder\" not found");
  EXPECT_LT(w.sim.now() - before, Milliseconds(100));
  before = w.sim.now();
  r = w.Create("pods", "default", PodOf(""));
  EXPECT_EQ(r.code, 403);
  EXPECT_EQ(r.status.message,
            "pods \"p\" is forbidden: error looking up service account default/default: "
            "serviceaccount \"default\" not found");
  EXPECT_GE(w.sim.now() - before, Milliseconds(900)) << "nine waits of 100 ms at least";
  EXPECT_LT(w.sim.now() - before, Milliseconds(1900));
}

// API-130: the cache does not have it yet, etcd does.
TEST(ServiceAccountAdmission, LooksAMissingAccountUpLive) {
  Required w;
  w.server().faults().watch_cache(w.Kind("serviceaccounts")).Freeze();
  w.Create("serviceaccounts", "default", Account("builder"));
  EXPECT_EQ(w.Create("pods", "default", PodOf("builder")).code, 201);
}

// API-130
TEST(ServiceAccountAdmission, WaitsForDefaultToBeMade) {
  Required w;
  const std::shared_ptr<api::Response> waiting = [&] {
    api::Request r = w.Request(api::Verb::kCreate, "pods", "default", "");
    r.body = PodOf("");
    return w.Start(std::move(r));
  }();
  w.Advance(Milliseconds(500));
  EXPECT_FALSE(World::Answered(waiting));
  w.Create("serviceaccounts", "default", Account("default"));
  w.Advance(Milliseconds(300));
  ASSERT_TRUE(World::Answered(waiting));
  EXPECT_EQ(waiting->code, 201);
}

// API-130: what a controller does not make need not exist.
TEST(ServiceAccountAdmission, ElsewhereTheAccountNeedNotExist) {
  World w;
  EXPECT_EQ(w.Create("pods", "default", PodOf("builder")).code, 201);
}

// API-221
TEST(ServiceAccountAdmission, HoldsPodsToTheSecretsOfTheirAccount) {
  struct Case {
    const char *spec, *refusal;
  };
  const Case kCases[] = {
      {R"("volumes":[{"name":"v","secret":{"secretName":"mine"}}],
          "containers":[{"name":"c","image":"i:1"}])",
       ""},
      {R"("volumes":[{"name":"v","secret":{"secretName":"s"}}],
          "containers":[{"name":"c","image":"i:1"}])",
       "volume with secret.secretName=\"s\" is not allowed because service account a does not "
       "reference that secret"},
      {R"("initContainers":[{"name":"i","image":"i:1","env":[{"name":"E","valueFrom":{
             "secretKeyRef":{"name":"s","key":"k"}}}]}],"containers":[{"name":"c","image":"i:1"}])",
       "init container i with envVar E referencing secret.secretName=\"s\" is not allowed because "
       "service account a does not reference that secret"},
      {R"("containers":[{"name":"c","image":"i:1","envFrom":[{"secretRef":{"name":"s"}}]}])",
       "container c with envFrom referencing secret.secretName=\"s\" is not allowed because "
       "service account a does not reference that secret"},
      {R"("imagePullSecrets":[{"name":"pull"},{"name":"s"}],
          "containers":[{"name":"c","image":"i:1"}])",
       "imagePullSecrets[1].name=\"s\" is not allowed because service account a does not "
       "reference that imagePullSecret"},
  };
  for (const char* held : {"true", "T", "1", "false", "yes"}) {
    World w;
    w.Create("serviceaccounts", "default",
             Json(R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"a",
                      "annotations":{"kubernetes.io/enforce-mountable-secrets":")" +
                  std::string(held) +
                  R"("}},"secrets":[{"name":"mine"}],"imagePullSecrets":[{"name":"pull"}]})"));
    w.Advance(Seconds(1));
    const bool enforced = std::string_view(held) != "false" && std::string_view(held) != "yes";
    for (const Case& c : kCases) {
      const Value pod =
          Json(R"({"metadata":{"generateName":"p-"},"spec":{"serviceAccountName":"a",)" +
               std::string(c.spec) + "}}");
      const api::Response r = w.Create("pods", "default", pod);
      if (!enforced || *c.refusal == 0) {
        EXPECT_EQ(r.code, 201) << held << " " << c.spec << r.status.message;
      } else {
        EXPECT_EQ(r.code, 403) << held << " " << c.spec;
        EXPECT_TRUE(r.status.message.str().ends_with(c.refusal)) << r.status.message;
      }
    }
  }
}

}  // namespace
}  // namespace ksim::apiserver
