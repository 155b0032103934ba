// The namespace controller against real API servers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ksim/client/core/payloads.h"
#include "ksim/client/rest/fault_hooks.h"
#include "ksim/controllers/common/controller_info.h"
#include "ksim/controllers/namespace/namespace_controller.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using api::Compat;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using value::Value;
using Lines = std::vector<std::string>;

struct Namespaces {
  explicit Namespaces(Compat compat = Compat::k1_36) : w(compat), hooks(w.api.sim) {
    w.env.faults = &hooks;
    w.Create("namespaces", R"({"metadata":{"name":"x"}})");
    w.StartController("namespace", &controllers::MakeController<controllers::NamespaceController>);
    w.Forget();
  }
  ~Namespaces() { w.api.sim.Shutdown(); }

  api::Response Put(std::string_view resource, std::string_view json, std::string_view ns = "x") {
    api::Request r = w.api.Request(api::Verb::kCreate, resource, ns, "");
    r.body = apiserver::Json(json);
    return w.Do(std::move(r));
  }
  // A ConfigMap that stays until its finalizer is taken away.
  void PutHeld(std::string_view name) {
    EXPECT_EQ(Put("configmaps", fmt::format(R"({{"metadata":{{"name":"{}",
                                                "finalizers":["example.com/hold"]}}}})",
                                            name))
                  .code,
              201);
  }
  void LetGo(std::string_view name) {
    EXPECT_EQ(w.api
                  .Patch("configmaps", "x", name, api::PatchType::kMerge,
                         R"({"metadata":{"finalizers":null}})")
                  .code,
              200);
  }
  void PutPod(std::string_view name, std::string_view node, int grace) {
    const std::string json = fmt::format(
        R"({{"metadata":{{"name":"{}"}},"spec":{{"nodeName":"{}","containers":[
            {{"name":"c","image":"i:1"}}],"terminationGracePeriodSeconds":{}}}}})",
        name, node, grace);
    EXPECT_EQ(Put("pods", json).code, 201);
  }
  std::size_t Left(std::string_view resource) {
    return w.Do(w.api.Request(api::Verb::kList, resource, "x", "")).items.size();
  }
  bool Gone() { return w.Get("namespaces", "x").empty(); }
  std::string Condition(std::string_view type) {
    for (const Value& c : w.Get("namespaces", "x").status().Get("conditions").items())
      if (c.Get("type").AsString() == type)
        return fmt::format("{} {}: {}", c.Get("status").AsString(), c.Get("reason").AsString(),
                           c.Get("message").AsString());
    return "none";
  }
  // The controller's requests but for lists and watches of its informer, since the last call.
  Lines Asked() {
    Lines lines;
    for (std::size_t i = w.from(); i < w.events().size(); ++i) {
      const sim::Event& e = w.events()[i];
      if (e.kind != sim::EventKind::kRequest || e.actor.name() != "namespace/namespace") continue;
      const api::Request& r = e.payload.As<client::RequestPayload>().request;
      lines.push_back(fmt::format("{} {}{}{}{}{}", api::ToString(r.verb), r.resource->resource,
                                  r.name.empty() ? "" : "/", r.name,
                                  r.subresource.empty() ? "" : "/", r.subresource));
    }
    w.Forget();
    return lines;
  }
  Lines AskedWithoutContent() {
    Lines lines = Asked();
    std::erase_if(lines, [](const std::string& line) {
      return line.starts_with("list ") || line.starts_with("deletecollection ");
    });
    return lines;
  }

  ActorWorld w;
  client::FaultHooks hooks;
};

// CTRL-NS-01, CTRL-NS-02, CTRL-NS-04, CTRL-NS-09
TEST(Namespace, IsEmptiedFiveSecondsAfterItsDeletion) {
  for (const Compat compat : kCompats) {
    Namespaces n(compat);
    n.Put("configmaps", R"({"metadata":{"name":"a"}})");
    n.Put("secrets", R"({"metadata":{"name":"b"}})");
    n.Put("configmaps", R"({"metadata":{"name":"stays"}})", "default");
    n.w.Delete("namespaces", "x");
    n.w.Advance(Milliseconds(4900));
    EXPECT_THAT(n.Asked(), IsEmpty());
    EXPECT_EQ(n.Left("configmaps"), 1u);
    n.w.Advance(Seconds(2));
    EXPECT_TRUE(n.Gone());
    EXPECT_EQ(n.Left("configmaps") + n.Left("secrets"), 0u);
    EXPECT_FALSE(n.w.Get("configmaps", "stays").empty());
    // The conditions come before the finalizer goes, so that its first update is a conflict.
    EXPECT_THAT(n.AskedWithoutContent(),
                ElementsAre("get namespaces/x", "update namespaces/x/status",
                            "update namespaces/x/finalize", "get namespaces/x",
                            "update namespaces/x/finalize"));
  }
}

// CTRL-NS-01
TEST(Namespace, NobodyDeletesIsLeftAlone) {
  Namespaces n;
  n.Put("configmaps", R"({"metadata":{"name":"a"}})");
  n.w.Patch("namespaces", "x", R"({"metadata":{"labels":{"a":"b"}}})");
  n.w.Advance(Minutes(11));
  EXPECT_THAT(n.Asked(), IsEmpty());
}

// CTRL-NS-04
TEST(Namespace, EveryKindIsEmptiedAlsoCustomOnes) {
  Namespaces n;
  n.w.env.kinds.AddGeneric("example.com/v1", "Website");
  EXPECT_EQ(n.Put("websites", R"({"apiVersion":"example.com/v1","kind":"Website",
                                  "metadata":{"name":"w"}})")
                .code,
            201);
  n.w.Delete("namespaces", "x");
  n.w.Advance(Seconds(8));
  EXPECT_TRUE(n.Gone());
  EXPECT_EQ(n.Left("websites"), 0u);
  const Lines asked = n.Asked();
  for (const char* kind : {"pods", "configmaps", "events", "replicasets", "leases", "websites"})
    EXPECT_THAT(asked, AllOf(Contains(fmt::format("deletecollection {}", kind)),
                             Contains(fmt::format("list {}", kind))));
  EXPECT_THAT(asked, Not(Contains("deletecollection nodes")));
}

// CTRL-NS-06, CTRL-NS-07, CTRL-NS-08: half of 15 s and one more.
TEST(Namespace, WaitsForFinalizersAndSaysSo) {
  Namespaces n;
  n.PutHeld("held");
  n.PutHeld("held-too");
  n.w.Delete("namespaces", "x");
  n.w.Advance(Seconds(7));
  EXPECT_EQ(n.Condition("NamespaceContentRemaining"),
            "True SomeResourcesRemain: Some resources are remaining: configmaps. has 2 resource "
            "instances");
  EXPECT_EQ(n.Condition("NamespaceFinalizersRemaining"),
            "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: "
            "example.com/hold in 2 resource instances");
  n.LetGo("held");
  n.w.Advance(Seconds(8));
  EXPECT_EQ(n.Condition("NamespaceContentRemaining"),
            "True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource "
            "instances");
  n.w.Forget();
  n.w.Advance(Seconds(24));
  const std::vector<VirtualTime> times = n.w.ReconcileTimes("x");
  ASSERT_EQ(times.size(), 3u);
  for (std::size_t i = 1; i < times.size(); ++i) {
    EXPECT_GT(times[i] - times[i - 1], Seconds(8));
    EXPECT_LT(times[i] - times[i - 1], Seconds(9));
  }
  n.LetGo("held-too");
  n.w.Advance(Seconds(10));
  EXPECT_TRUE(n.Gone());
}

// CTRL-NS-05
TEST(Namespace, InNewVersionsPodsGoFirst) {
  for (const Compat compat : kCompats) {
    Namespaces n(compat);
    n.PutPod("p", "nowhere", 30);  // nobody ends it
    n.Put("configmaps", R"({"metadata":{"name":"a"}})");
    n.w.Delete("namespaces", "x");
    n.w.Advance(Seconds(7));
    const bool ordered = compat == Compat::k1_36;
    EXPECT_EQ(n.Left("configmaps"), ordered ? 1u : 0u);
    EXPECT_EQ(n.Left("pods"), 1u);
    EXPECT_EQ(n.Condition("NamespaceContentRemaining"),
              ordered ? "False ContentRemoved: All content successfully removed"
                      : "True SomeResourcesRemain: Some resources are remaining: pods. has 1 "
                        "resource instances");
    n.w.api.Delete("pods", "x", "p", Grace(0));
    n.w.Advance(Seconds(16));
    EXPECT_TRUE(n.Gone());
  }
}

// CTRL-NS-06, CTRL-NS-07: the longest grace period of the pods that run, halved, and a second.
TEST(Namespace, WaitsForTheGraceOfPods) {
  Namespaces n(Compat::k1_30);
  n.PutPod("short", "nowhere", 10);
  n.PutPod("long", "nowhere", 40);
  n.w.Delete("namespaces", "x");
  n.w.Forget();
  n.w.Advance(Seconds(40));
  const std::vector<VirtualTime> times = n.w.ReconcileTimes("x");
  ASSERT_EQ(times.size(), 3u) << "its own conditions lead to the second look, 5 s after the first";
  EXPECT_GT(times[2] - times[1], Seconds(21));
  EXPECT_LT(times[2] - times[1], Seconds(22));
}

// CTRL-NS-06: longer than that since the deletion: it is an error that they are still there.
TEST(Namespace, PodsThatOutstayTheirGraceAreAnError) {
  for (const Compat compat : {Compat::k1_30, Compat::k1_36}) {
    Namespaces n(compat);
    n.PutPod("p", "nowhere", 2);
    n.w.Delete("namespaces", "x");
    n.w.Advance(Seconds(6));
    EXPECT_EQ(n.Condition("NamespaceDeletionContentFailure"),
              "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: "
              "unexpected items still remain in namespace: x for gvr: /v1, Resource=pods");
    n.w.Forget();
    n.w.Advance(Minutes(10));
    // CTRL-NS-07: it waits a minute at most.
    const std::vector<VirtualTime> times = n.w.ReconcileTimes("x");
    ASSERT_GT(times.size(), 3u);
    EXPECT_LT(times.back() - times[times.size() - 2], Seconds(62));
    n.w.api.Delete("pods", "x", "p", Grace(0));
    n.w.Advance(Seconds(62));
    EXPECT_TRUE(n.Gone());
  }
}

// CTRL-NS-04: server 1 has not heard of the deletion, and takes what is new.
TEST(Namespace, WhatArrivesLateGoesToo) {
  Namespaces n;
  n.PutHeld("held");
  n.w.Settle();
  n.w.api.server(1).faults().watch_cache(n.w.api.Kind("namespaces")).Freeze();
  n.w.api.Do(n.w.api.Request(api::Verb::kDelete, "namespaces", "", "x"), 0);
  n.w.Advance(Seconds(7));
  EXPECT_EQ(n.Put("configmaps", R"({"metadata":{"name":"late"}})").code, 201);
  EXPECT_EQ(n.Put("secrets", R"({"metadata":{"name":"late"}})").code, 201);
  n.LetGo("held");
  n.w.Advance(Seconds(10));
  EXPECT_TRUE(n.Gone());
  EXPECT_EQ(n.Left("configmaps") + n.Left("secrets"), 0u);
}

// CTRL-NS-04, CTRL-NS-08
TEST(Namespace, AnErrorOfOneKindKeepsNoOtherFromBeingEmptied) {
  Namespaces n;
  n.Put("configmaps", R"({"metadata":{"name":"a"}})");
  n.Put("secrets", R"({"metadata":{"name":"b"}})");
  bool refuse = true;
  n.hooks.AddJudge([&refuse](const api::Request& r) {
    client::Mishap mishap;
    if (!refuse || r.verb != api::Verb::kDeleteCollection || r.resource->resource != "configmaps")
      return mishap;
    mishap.kind = client::Mishap::Kind::kRejected;
    mishap.status = api::Unmapped(403, "not today");
    return mishap;
  });
  n.w.Delete("namespaces", "x");
  n.w.Advance(Seconds(6));
  EXPECT_EQ(n.Left("configmaps"), 1u);
  EXPECT_EQ(n.Left("secrets"), 0u);
  EXPECT_EQ(n.Condition("NamespaceDeletionContentFailure"),
            "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: not "
            "today");
  refuse = false;
  n.w.Advance(Seconds(62));
  EXPECT_TRUE(n.Gone());
}

// CTRL-NS-04: a server that cannot delete a collection has its objects deleted one by one.
TEST(Namespace, WhereCollectionsCannotBeDeletedEachObjectIs) {
  Namespaces n;
  n.Put("configmaps", R"({"metadata":{"name":"a"}})");
  n.hooks.AddJudge([](const api::Request& r) {
    client::Mishap mishap;
    if (r.verb != api::Verb::kDeleteCollection || r.resource->resource != "configmaps")
      return mishap;
    mishap.kind = client::Mishap::Kind::kRejected;
    mishap.status = api::MethodNotSupported(api::GroupResource("", "configmaps"), "delete");
    return mishap;
  });
  n.w.Delete("namespaces", "x");
  n.w.Advance(Seconds(7));
  EXPECT_TRUE(n.Gone());
  EXPECT_THAT(n.Asked(), Contains("delete configmaps/a"));
}

// CTRL-NS-09
TEST(Namespace, OtherFinalizersOfTheNamespaceStay) {
  Namespaces n;
  n.w.Create("namespaces",
             R"({"metadata":{"name":"y"},"spec":{"finalizers":["b.io/two","a.io/one"]}})");
  n.w.Delete("namespaces", "y");
  n.w.Advance(Seconds(7));
  const api::Object ns = n.w.Get("namespaces", "y");
  ASSERT_FALSE(ns.empty());
  EXPECT_EQ(ns.Get(value::Path{"spec", "finalizers"}),
            apiserver::Json(R"(["a.io/one","b.io/two"])"));
}

// CTRL-NS-03
TEST(Namespace, AConflictIsFollowedByALiveRead) {
  Namespaces n;
  int conflicts = 0;
  n.hooks.AddJudge([&conflicts](const api::Request& r) {
    client::Mishap mishap;
    if (r.subresource != "finalize" || conflicts++ >= 3) return mishap;
    mishap.kind = client::Mishap::Kind::kRejected;
    mishap.status = api::Conflict(api::GroupResource("", "namespaces"), "x", "again");
    return mishap;
  });
  n.w.Delete("namespaces", "x");
  n.w.Advance(Seconds(7));
  EXPECT_TRUE(n.Gone());
  const Lines asked = n.AskedWithoutContent();
  EXPECT_EQ(std::count(asked.begin(), asked.end(), "update namespaces/x/finalize"), 4);
  EXPECT_EQ(std::count(asked.begin(), asked.end(), "get namespaces/x"), 4);
}

// CTRL-NS-02
TEST(Namespace, WhoseFinalizersAreGoneIsLeftAlone) {
  Namespaces n;
  n.w.Patch("namespaces", "x", R"({"metadata":{"finalizers":["example.com/hold"]}})");
  n.w.Delete("namespaces", "x");
  n.w.Advance(Seconds(7));
  EXPECT_TRUE(n.w.Get("namespaces", "x").Get(value::Path{"spec", "finalizers"}).empty());
  n.Asked();
  n.w.Patch("namespaces", "x", R"({"metadata":{"labels":{"a":"b"}}})");
  n.w.Advance(Seconds(7));
  EXPECT_THAT(n.Asked(), ElementsAre("get namespaces/x"));
}

// CTRL-NS-10: 3000 at once: 80 requests wait for nothing.
TEST(Namespace, ItsManyRequestsAreNotHeldBack) {
  Namespaces n;
  n.w.Delete("namespaces", "x");
  n.w.Advance(Seconds(6));
  EXPECT_TRUE(n.Gone());
  EXPECT_GT(n.Asked().size(), 60u);
}

}  // namespace
}  // namespace ksim
