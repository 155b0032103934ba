// The garbage collector watches every kind that can be deleted, and new ones as they come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ksim/api/core/kind_service.h"
#include "ksim/client/rest/fault_hooks.h"
#include "tests/whole/actors/garbagecollector_world.h"

namespace ksim {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kWidgets = R"({"apiVersion":"apiextensions.k8s.io/v1",
  "kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.dev"},
  "spec":{"group":"example.dev","scope":"Namespaced",
    "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
    "versions":[{"name":"v1","served":true,"storage":true,
      "schema":{"openAPIV3Schema":{"type":"object",
        "x-kubernetes-preserve-unknown-fields":true}}}]}})";

api::Object MakeWidget(GarbageWorld& w, std::string_view name, std::string_view owners = "") {
  return w.Create(
      "widgets.example.dev",
      fmt::format(R"({{"apiVersion":"example.dev/v1","kind":"Widget",)"
                  R"("metadata":{{"name":"{}"{}}}}})",
                  name, owners.empty() ? "" : fmt::format(R"(,"ownerReferences":[{}])", owners)));
}

std::multiset<std::string> Watched(const GarbageWorld& w) {
  std::multiset<std::string> resources;
  for (const sim::Event& e : w.events()) {
    if (e.kind != sim::EventKind::kRequest) continue;
    const api::Request& r = e.payload.As<client::RequestPayload>().request;
    if (r.verb == api::Verb::kWatch && r.client.str() == "garbagecollector")
      resources.insert(r.resource->group_resource());
  }
  return resources;
}

// CTRL-GC-01: a kind is watched from its first object on. The watch caches of kinds that nothing
// else reads begin at that request, and have it sent once more.
TEST(GarbageMonitors, EveryKindButEventsIsWatched) {
  for (const api::Compat compat : kCompats) {
    GarbageWorld w(compat);
    w.Make("before");
    w.StartCollector();
    EXPECT_EQ(Watched(w).count("configmaps"), 1u);
    std::set<std::string> all;
    for (const api::ResourceInfo* kind : w.api.kinds.all()) {
      if (!api::IsServed(*kind, compat)) continue;
      w.api.kinds.NoteObject(*kind);
      if (kind->resource != "events") all.insert(kind->group_resource());
    }
    w.Settle();
    const std::multiset<std::string> watched = Watched(w);
    EXPECT_EQ(std::set<std::string>(watched.begin(), watched.end()), all);
    EXPECT_EQ(watched.count("configmaps"), 1u);
    EXPECT_EQ(watched.count("deployments.apps"), 1u);
  }
}

// CTRL-GC-12, CTRL-GC-13: a custom kind is known from the next look at discovery on.
TEST(GarbageMonitors, ANewKindIsDiscoveredWithinThirtySeconds) {
  for (const api::Compat compat : kCompats) {
    GarbageWorld w(compat);
    w.StartCollector();
    w.Advance(Seconds(3));
    w.Create("customresourcedefinitions", kWidgets);
    w.Advance(Seconds(1));
    const api::Object owner = MakeWidget(w, "owner");
    w.Make("a", w.RefTo(owner));
    MakeWidget(w, "b", w.RefToNobody());
    w.Advance(Seconds(10));
    EXPECT_THAT(Watched(w), Not(Contains("widgets.example.dev")));
    EXPECT_TRUE(w.IsThere("a")) << "its owner is of a kind that the mapper does not know";
    EXPECT_FALSE(w.Get("widgets.example.dev", "b").empty());
    w.Advance(Seconds(20));
    EXPECT_THAT(Watched(w), Contains("widgets.example.dev"));
    EXPECT_TRUE(w.Get("widgets.example.dev", "b").empty());
    EXPECT_TRUE(w.IsThere("a"));
    w.Delete("widgets.example.dev", "owner");
    w.Settle();
    EXPECT_FALSE(w.IsThere("a"));
  }
}

// CTRL-GC-12: definitions that are there when it starts are discovered at once.
TEST(GarbageMonitors, AKnownCustomKindIsWatchedFromTheStart) {
  GarbageWorld w;
  w.Create("customresourcedefinitions", kWidgets);
  w.Advance(Seconds(1));
  MakeWidget(w, "w");
  w.StartCollector();
  EXPECT_THAT(Watched(w), Contains("widgets.example.dev"));
}

// CTRL-GC-13: a kind that nobody has is asked for again and again, ever more slowly.
TEST(GarbageMonitors, AnUnknownKindIsTriedAgain) {
  GarbageWorld w;
  w.StartCollector();
  w.Make("a", w.RefTo("example.dev/v1", "Gadget", "g", "gu"));
  w.Advance(Minutes(1));
  std::size_t failures = 0;
  for (const sim::Event& e : w.events()) {
    if (e.kind != sim::EventKind::kReconcile) continue;
    const auto& reconcile = e.payload.As<client::ReconcilePayload>();
    if (reconcile.result == "error: unable to get REST mapping for example.dev/v1/Gadget.")
      ++failures;
  }
  EXPECT_GE(failures, 12u);
  EXPECT_LE(failures, 16u);
  EXPECT_TRUE(w.IsThere("a"));
  w.api.sim.Shutdown();
}

// CTRL-GC-16: a custom kind takes no strategic merge patch.
TEST(GarbageMonitors, ACustomKindGetsAMergePatch) {
  GarbageWorld w;
  w.Create("customresourcedefinitions", kWidgets);
  w.Advance(Seconds(1));
  w.StartCollector();
  const api::Object one = w.Make("one"), two = w.Make("two");
  const api::Object widget = MakeWidget(w, "w", w.RefTo(one) + "," + w.RefTo(two));
  w.Settle();
  w.Forget();
  w.DeleteAs("one", "Background");
  w.Settle();
  EXPECT_THAT(w.Asked(), Contains(fmt::format(
                             R"(patch widgets/w {{"metadata":{{"ownerReferences":[{{"apiVersion":)"
                             R"("v1","kind":"ConfigMap","name":"two","uid":"{}"}}],)"
                             R"("resourceVersion":"{}"}}}})",
                             two.uid(), widget.resource_version())));
  EXPECT_EQ(w.Get("widgets.example.dev", "w").metadata().Get("ownerReferences").size(), 1u);
}

// CTRL-GC-11: nothing is deleted while a cache is empty, and in 1.36 not for longer than 30 s.
TEST(GarbageMonitors, WorkersBeginWhenAllCachesAreFull) {
  for (const api::Compat compat : kCompats) {
    GarbageWorld w(compat);
    client::FaultHooks hooks(w.api.sim);
    w.env.faults = &hooks;
    bool refuse = true;
    hooks.AddJudge([&](const api::Request& r) {
      client::Mishap mishap;
      const bool reads = r.verb == api::Verb::kList || r.verb == api::Verb::kWatch;
      if (!refuse || !reads || r.resource->resource != "secrets") return mishap;
      mishap.kind = client::Mishap::Kind::kRejected;
      mishap.status = api::Forbidden(api::GroupResource("", "secrets"), "", "no");
      return mishap;
    });
    w.Create("secrets", R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}})");
    w.Make("a", w.RefToNobody());
    w.StartCollector();
    w.Advance(Seconds(20));
    EXPECT_THAT(w.Asked(), IsEmpty());
    w.Advance(Seconds(20));
    EXPECT_EQ(w.IsThere("a"), compat != api::Compat::k1_36);
    refuse = false;
    w.Advance(Minutes(2));
    EXPECT_FALSE(w.IsThere("a"));
    w.api.sim.Shutdown();
  }
}

// CTRL-GC-11: up to 1.30 the workers pause while a new kind's cache fills.
TEST(GarbageMonitors, WorkersPauseForANewKind) {
  for (const api::Compat compat : kCompats) {
    GarbageWorld w(compat);
    client::FaultHooks hooks(w.api.sim);
    w.env.faults = &hooks;
    w.StartCollector();
    bool refuse = true;
    hooks.AddJudge([&](const api::Request& r) {
      client::Mishap mishap;
      const bool reads = r.verb == api::Verb::kList || r.verb == api::Verb::kWatch;
      if (!refuse || !reads || r.resource->resource != "widgets") return mishap;
      mishap.kind = client::Mishap::Kind::kRejected;
      mishap.status = api::Forbidden(api::GroupResource("", "widgets"), "", "no");
      return mishap;
    });
    w.Create("customresourcedefinitions", kWidgets);
    w.Advance(Seconds(1));
    MakeWidget(w, "w");
    w.Advance(Seconds(40));
    w.Make("a", w.RefToNobody());
    w.Advance(Seconds(5));
    EXPECT_EQ(w.IsThere("a"), compat != api::Compat::k1_36);
    refuse = false;
    w.Advance(Minutes(2));
    EXPECT_FALSE(w.IsThere("a"));
    w.api.sim.Shutdown();
  }
}

// CTRL-GC-24
TEST(GarbageMonitors, FortyRequestsASecondAfterABurstOfThirty) {
  GarbageWorld w;
  const api::Object owner = w.Make("owner");
  for (int i = 0; i < 100; ++i) w.Make(fmt::format("c{}", i), w.RefTo(owner));
  w.StartCollector();
  w.Settle();
  const VirtualTime begun = w.api.sim.now();
  w.Forget();
  w.DeleteAs("owner", "Background");
  w.Advance(Seconds(10));
  std::vector<VirtualTime> times;
  for (std::size_t i = w.from(); i < w.events().size(); ++i) {
    const sim::Event& e = w.events()[i];
    if (e.kind != sim::EventKind::kRequest) continue;
    const api::Request& r = e.payload.As<client::RequestPayload>().request;
    if (r.client.str() == "garbagecollector" && r.verb != api::Verb::kWatch)
      times.push_back(e.time);
  }
  ASSERT_EQ(times.size(), 200u) << "a GET and a DELETE each";
  // 170 of them wait for a token, 25 ms each.
  EXPECT_NEAR(static_cast<double>((times.back() - begun).ns()) / 1e9, 170 * 0.025, 0.15);
}

}  // namespace
}  // namespace ksim
