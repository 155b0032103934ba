// The service account controller and the root CA publisher against real API servers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ksim/client/rest/fault_hooks.h"
#include "ksim/controllers/common/controller_info.h"
#include "ksim/controllers/root_ca/root_ca_publisher.h"
#include "ksim/controllers/serviceaccount/service_account_controller.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using api::Compat;
using testing::ElementsAre;
using testing::IsEmpty;
using value::Path;

struct Accounts {
  explicit Accounts(Compat compat = Compat::k1_36) : w(compat), hooks(w.api.sim) {
    w.env.faults = &hooks;
  }
  ~Accounts() { w.api.sim.Shutdown(); }
  void StartAccounts() {
    w.StartController("serviceaccount",
                      &controllers::MakeController<controllers::ServiceAccountController>);
  }
  void StartRootCa() {
    w.StartController("root-ca", &controllers::MakeController<controllers::RootCaPublisher>);
  }
  void AddNamespace(std::string_view name) {
    w.Create("namespaces", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name));
  }
  api::Object In(std::string_view ns, std::string_view resource, std::string_view name) {
    return w.Do(w.api.Request(api::Verb::kGet, resource, ns, name)).object;
  }
  // The first `times` creates of the resource are refused with this status.
  void Refuse(std::string resource, int times, api::Status status) {
    const auto left = std::make_shared<int>(times);
    hooks.AddJudge([resource, left, status](const api::Request& r) {
      client::Mishap mishap;
      if (r.verb != api::Verb::kCreate || r.resource->resource != resource || (*left)-- <= 0)
        return mishap;
      mishap.kind = client::Mishap::Kind::kRejected;
      mishap.status = status;
      return mishap;
    });
  }
  ActorWorld w;
  client::FaultHooks hooks;
};

// CTRL-SA-01
TEST(ServiceAccounts, EachActiveNamespaceGetsAnAccount) {
  for (const Compat compat : kCompats) {
    Accounts a(compat);
    a.AddNamespace("old");
    a.StartAccounts();
    for (const char* ns : {"default", "kube-system", "kube-public", "kube-node-lease", "old"})
      EXPECT_FALSE(a.In(ns, "serviceaccounts", "default").empty()) << ns;
    a.AddNamespace("new");
    a.w.Settle();
    EXPECT_FALSE(a.In("new", "serviceaccounts", "default").empty());
  }
}

// CTRL-SA-01
TEST(ServiceAccounts, ADeletedAccountComesBackUnlessItsNamespaceGoes) {
  Accounts a;
  a.StartAccounts();
  a.AddNamespace("x");
  a.w.Settle();
  const std::string uid(a.In("x", "serviceaccounts", "default").uid());
  a.w.api.Delete("serviceaccounts", "x", "default");
  a.w.Settle();
  EXPECT_FALSE(a.In("x", "serviceaccounts", "default").empty());
  EXPECT_NE(a.In("x", "serviceaccounts", "default").uid(), uid);
  a.w.Delete("namespaces", "x");
  a.w.Settle();
  a.w.Forget();
  a.w.api.Delete("serviceaccounts", "x", "default");
  a.w.Settle();
  EXPECT_TRUE(a.In("x", "serviceaccounts", "default").empty());
  EXPECT_THAT(a.w.Writes(), IsEmpty()) << "its cache shows that the namespace goes";
}

// CTRL-SA-01: other accounts do not matter, nor do updates of it.
TEST(ServiceAccounts, LeavesAloneWhatIsThere) {
  Accounts a;
  a.w.Create("serviceaccounts", R"({"metadata":{"name":"default","labels":{"mine":"yes"}}})");
  a.StartAccounts();
  a.w.Create("serviceaccounts", R"({"metadata":{"name":"builder"}})");
  a.w.Delete("serviceaccounts", "builder");
  a.w.Settle();
  EXPECT_EQ(a.w.Get("serviceaccounts", "default").Label("mine"), "yes");
  EXPECT_TRUE(a.w.Get("serviceaccounts", "builder").empty());
}

// CTRL-SA-02
TEST(ServiceAccounts, TriesAgainAfterAnErrorButNotWhereOneIsThere) {
  Accounts a;
  a.StartAccounts();
  a.Refuse("serviceaccounts", 3, api::InternalError("no"));
  a.AddNamespace("x");
  a.w.Forget();
  a.w.Settle();
  EXPECT_THAT(a.w.Writes(),
              ElementsAre("create serviceaccounts/default", "create serviceaccounts/default",
                          "create serviceaccounts/default", "create serviceaccounts/default"));
  EXPECT_FALSE(a.In("x", "serviceaccounts", "default").empty());
  for (const char* cause : {"", "NamespaceTerminating"}) {
    api::Status refusal = api::AlreadyExists(api::GroupResource("", "serviceaccounts"), "default");
    if (*cause != 0) {
      refusal = api::Forbidden(api::GroupResource("", "serviceaccounts"), "default", "it goes");
      refusal.details->causes.emplace_back(cause, "it goes", "metadata.namespace");
    }
    Accounts b;
    b.StartAccounts();
    b.Refuse("serviceaccounts", 1, refusal);
    b.AddNamespace("x");
    b.w.Forget();
    b.w.Settle();
    EXPECT_THAT(b.w.Writes(), ElementsAre("create serviceaccounts/default"));
  }
}

// CTRL-RCA-01
TEST(RootCa, IsPublishedInEachNamespace) {
  for (const Compat compat : kCompats) {
    Accounts a(compat);
    a.StartRootCa();
    a.AddNamespace("x");
    a.w.Settle();
    for (const char* ns : {"default", "kube-system", "x"}) {
      const api::Object map = a.In(ns, "configmaps", "kube-root-ca.crt");
      EXPECT_EQ(map.Get(Path{"data", "ca.crt"}).AsString(), controllers::RootCaCertificate()) << ns;
      EXPECT_FALSE(map.Annotation("kubernetes.io/description").empty()) << ns;
    }
    a.w.api.Delete("configmaps", "x", "kube-root-ca.crt");
    a.w.Settle();
    EXPECT_FALSE(a.In("x", "configmaps", "kube-root-ca.crt").empty());
  }
}

// CTRL-RCA-02
TEST(RootCa, IsPutRightAndKeepsWhatOthersAdded) {
  Accounts a;
  a.StartRootCa();
  a.w.Patch("configmaps", "kube-root-ca.crt",
            R"({"metadata":{"labels":{"mine":"yes"}},"data":{"ca.crt":"x","more":"y"}})");
  a.w.Settle();
  api::Object map = a.w.Get("configmaps", "kube-root-ca.crt");
  EXPECT_EQ(map.tree().Get("data").size(), 1u);
  EXPECT_EQ(map.Get(Path{"data", "ca.crt"}).AsString(), controllers::RootCaCertificate());
  EXPECT_EQ(map.Label("mine"), "yes");
  a.w.Patch("configmaps", "kube-root-ca.crt",
            R"({"metadata":{"annotations":{"kubernetes.io/description":""}}})");
  a.w.Settle();
  EXPECT_FALSE(
      a.w.Get("configmaps", "kube-root-ca.crt").Annotation("kubernetes.io/description").empty());
  // Any text will do, and other ConfigMaps are not its affair.
  a.w.Patch("configmaps", "kube-root-ca.crt",
            R"({"metadata":{"annotations":{"kubernetes.io/description":"mine"}}})");
  a.w.Create("configmaps", R"({"metadata":{"name":"other"}})");
  a.w.Patch("configmaps", "other", R"({"data":{"a":"b"}})");
  a.w.Settle();
  EXPECT_EQ(a.w.Get("configmaps", "kube-root-ca.crt").Annotation("kubernetes.io/description"),
            "mine");
}

// CTRL-RCA-03
TEST(RootCa, IsNotTriedAgainInANamespaceThatGoes) {
  api::Status terminating = api::Forbidden(api::GroupResource("", "configmaps"), "m", "it goes");
  terminating.details->causes.emplace_back("NamespaceTerminating", "it goes", "metadata.namespace");
  struct Case {
    api::Status refusal;
    std::size_t creates;
  };
  for (const Case& c :
       {Case{terminating, 1}, Case{api::NotFound(api::GroupResource("", "namespaces"), "x"), 1},
        Case{api::InternalError("no"), 2}}) {
    Accounts a;
    a.StartRootCa();
    a.Refuse("configmaps", 1, c.refusal);
    a.AddNamespace("x");
    a.w.Forget();
    a.w.Settle();
    EXPECT_EQ(a.w.Writes().size(), c.creates) << c.refusal.message;
  }
}

}  // namespace
}  // namespace ksim
