// The garbage collector and the two finalizers that are its own: foregroundDeletion and orphan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/rest/fault_hooks.h"
#include "tests/whole/actors/garbagecollector_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::size_t CountOf(const std::vector<std::string>& lines, std::string_view prefix) {
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(),
                    [prefix](const std::string& l) { return l.starts_with(prefix); }));
}

// CTRL-GC-10, CTRL-GC-17, CTRL-GC-22: the blocking dependent holds the owner, the other does not.
TEST(GarbageForeground, AnOwnerWaitsForTheDependentsThatBlockIt) {
  for (const api::Compat compat : kCompats) {
    GarbageWorld w(compat);
    w.StartCollector();
    const api::Object owner = w.Make("owner");
    w.Make("blocks", w.RefTo(owner, true), R"("example.dev/mine")");
    w.Make("other", w.RefTo(owner), R"("example.dev/mine")");
    w.Settle();
    w.Forget();
    w.DeleteAs("owner", "Foreground");
    w.Advance(Seconds(10));
    EXPECT_TRUE(w.IsThere("owner")) << "a dependent that blocks is there";
    EXPECT_TRUE(w.Get("configmaps", "blocks").deleting());
    EXPECT_TRUE(w.Get("configmaps", "other").deleting());
    const std::vector<std::string> asked = w.Asked();
    EXPECT_EQ(CountOf(asked, "delete configmaps/blocks Background"), 1u);
    EXPECT_EQ(CountOf(asked, "delete configmaps/other Background"), 1u);
    EXPECT_EQ(CountOf(asked, "patch"), 0u);
    const std::int64_t version = w.Get("configmaps", "owner").resource_version();
    w.Patch("configmaps", "blocks", R"({"metadata":{"finalizers":null}})");
    w.Settle();
    EXPECT_FALSE(w.IsThere("owner"));
    EXPECT_TRUE(w.IsThere("other")) << "nobody takes its finalizer away";
    EXPECT_THAT(w.Asked(),
                Contains(fmt::format(R"(patch configmaps/owner {{"metadata":{{"finalizers":null,)"
                                     R"("resourceVersion":"{}"}}}})",
                                     version)));
  }
}

// CTRL-GC-22: an owner without dependents is let go at once; other finalizers stay.
TEST(GarbageForeground, AnOwnerWithoutDependentsGoesAtOnce) {
  GarbageWorld w;
  w.StartCollector();
  w.Make("owner", "", R"("example.dev/mine")");
  w.DeleteAs("owner", "Foreground");
  w.Settle();
  const value::Value finalizers = w.Get("configmaps", "owner").metadata().Get("finalizers");
  ASSERT_EQ(finalizers.size(), 1u);
  EXPECT_EQ(finalizers.at(0).AsString(), "example.dev/mine");
}

// CTRL-GC-04, CTRL-GC-22: a reference that no longer blocks.
TEST(GarbageForeground, AReferenceThatStopsBlockingLetsTheOwnerGo) {
  GarbageWorld w;
  w.StartCollector();
  const api::Object owner = w.Make("owner");
  w.Make("a", w.RefTo(owner, true), R"("example.dev/mine")");
  w.DeleteAs("owner", "Foreground");
  w.Settle();
  ASSERT_TRUE(w.IsThere("owner"));
  w.Patch("configmaps", "a",
          fmt::format(R"({{"metadata":{{"ownerReferences":[{{"uid":"{}",)"
                      R"("blockOwnerDeletion":false}}]}}}})",
                      owner.uid()));
  w.Settle();
  EXPECT_FALSE(w.IsThere("owner"));
}

// CTRL-GC-20: dependents of dependents go in the foreground too, from the leaves up.
TEST(GarbageForeground, AChainGoesFromItsEnd) {
  GarbageWorld w;
  w.StartCollector();
  const api::Object a = w.Make("a");
  const api::Object b = w.Make("b", w.RefTo(a, true));
  const api::Object c = w.Make("c", w.RefTo(b, true), R"("example.dev/mine")");
  w.Settle();
  w.Forget();
  w.DeleteAs("a", "Foreground");
  w.Settle();
  EXPECT_THAT(w.Asked(), Contains("delete configmaps/b Foreground uid"));
  EXPECT_TRUE(w.IsThere("a") && w.IsThere("b") && w.IsThere("c"));
  w.Patch("configmaps", "c", R"({"metadata":{"finalizers":null}})");
  w.Settle();
  EXPECT_FALSE(w.IsThere("a") || w.IsThere("b") || w.IsThere("c"));
}

// CTRL-GC-20: a ring would wait for itself.
TEST(GarbageForeground, ARingIsBroken) {
  for (const api::Compat compat : kCompats) {
    GarbageWorld w(compat);
    w.StartCollector();
    const api::Object a = w.Make("a");
    const api::Object b = w.Make("b", w.RefTo(a, true));
    w.Patch("configmaps", "a", "{\"metadata\":{\"ownerReferences\":[" + w.RefTo(b, true) + "]}}");
    w.Settle();
    w.Forget();
    w.DeleteAs("a", "Foreground");
    w.Advance(Seconds(10));
    EXPECT_THAT(w.Asked(), Contains(HasSubstr(R"("blockOwnerDeletion":false)")));
    EXPECT_FALSE(w.IsThere("a") || w.IsThere("b"));
  }
}

// CTRL-GC-19: a reference to an owner that waits would hold it for ever.
TEST(GarbageForeground, WhatAnotherOwnerWantsLetsTheOneThatWaitsGo) {
  GarbageWorld w;
  w.StartCollector();
  const api::Object one = w.Make("one"), two = w.Make("two");
  w.Make("a", w.RefTo(one, true) + "," + w.RefTo(two, true));
  w.Settle();
  w.DeleteAs("one", "Foreground");
  w.Settle();
  EXPECT_FALSE(w.IsThere("one"));
  EXPECT_TRUE(w.IsThere("two"));
  EXPECT_EQ(w.Get("configmaps", "a").metadata().Get("ownerReferences").size(), 1u);
}

// CTRL-GC-17: somebody else writes the owner all the time.
TEST(GarbageForeground, AConflictOverTheFinalizerIsTriedAgain) {
  for (const int conflicts : {3, 4}) {
    GarbageWorld w;
    client::FaultHooks hooks(w.api.sim);
    w.env.faults = &hooks;
    w.StartCollector();
    w.Make("owner");
    int left = conflicts;
    std::vector<VirtualTime> times;
    hooks.AddJudge([&](const api::Request& r) {
      client::Mishap mishap;
      if (r.verb != api::Verb::kPatch || r.client.str() != "garbagecollector") return mishap;
      times.push_back(w.api.sim.now());
      if (left-- <= 0) return mishap;
      mishap.kind = client::Mishap::Kind::kRejected;
      mishap.status = api::Conflict(api::GroupResource("", "configmaps"), "owner", "no");
      return mishap;
    });
    w.DeleteAs("owner", "Foreground");
    w.Advance(Seconds(5));
    EXPECT_FALSE(w.IsThere("owner"));
    EXPECT_THAT(times, SizeIs(static_cast<std::size_t>(conflicts) + 1));
    EXPECT_GE(times[1] - times[0], Milliseconds(10));
    EXPECT_GE(times[2] - times[1], Milliseconds(50));
    EXPECT_GE(times[3] - times[2], Milliseconds(250));
    if (conflicts == 4) {
      bool told = false;
      for (const sim::Event& e : w.events()) {
        if (e.kind != sim::EventKind::kReconcile) continue;
        const auto& result = e.payload.As<client::ReconcilePayload>().result;
        told = told || result.find("updateMaxRetries(4) has reached") != std::string::npos;
      }
      EXPECT_TRUE(told);
    }
    w.api.sim.Shutdown();
  }
}

// CTRL-GC-10, CTRL-GC-16, CTRL-GC-23
TEST(GarbageOrphan, DependentsLoseTheReferenceAndStay) {
  for (const api::Compat compat : kCompats) {
    GarbageWorld w(compat);
    w.StartCollector();
    const api::Object owner = w.Make("owner");
    std::vector<std::string> uids;
    for (const char* name : {"a", "b", "c"})
      uids.emplace_back(w.Make(name, w.RefTo(owner, true)).uid());
    w.Settle();
    w.Forget();
    w.DeleteAs("owner", "Orphan");
    w.Settle();
    const std::vector<std::string> asked = w.Asked();
    EXPECT_EQ(asked.at(0), fmt::format(R"(patch configmaps/a {{"metadata":{{"ownerReferences":)"
                                       R"([{{"$patch":"delete","uid":"{}"}}],"uid":"{}"}}}})",
                                       owner.uid(), uids[0]));
    EXPECT_TRUE(asked.at(1).starts_with("patch configmaps/b"));
    EXPECT_TRUE(asked.at(2).starts_with("patch configmaps/c")) << "all at once, before any answer";
    EXPECT_EQ(asked.at(3), "get configmaps/owner");
    EXPECT_TRUE(
        asked.at(4).starts_with(R"(patch configmaps/owner {"metadata":{"finalizers":null)"));
    EXPECT_EQ(CountOf(asked, "delete"), 0u);
    EXPECT_FALSE(w.IsThere("owner"));
    for (const char* name : {"a", "b", "c"})
      EXPECT_TRUE(w.Get("configmaps", name).metadata().Get("ownerReferences").is_null());
  }
}

// CTRL-GC-23: the finalizer stays until all dependents are free.
TEST(GarbageOrphan, ADependentThatCannotBePatchedHoldsTheOwner) {
  GarbageWorld w;
  client::FaultHooks hooks(w.api.sim);
  w.env.faults = &hooks;
  w.StartCollector();
  const api::Object owner = w.Make("owner");
  w.Make("a", w.RefTo(owner));
  w.Make("b", w.RefTo(owner));
  w.Settle();
  w.Forget();
  int refusals = 3;
  hooks.AddJudge([&](const api::Request& r) {
    client::Mishap mishap;
    if (r.verb != api::Verb::kPatch || r.name != "a" || refusals == 0) return mishap;
    --refusals;
    mishap.kind = client::Mishap::Kind::kRejected;
    mishap.status = api::InternalError("no");
    return mishap;
  });
  w.DeleteAs("owner", "Orphan");
  w.Advance(Seconds(5));
  const std::vector<std::string> asked = w.Asked();
  EXPECT_EQ(CountOf(asked, "patch configmaps/a"), 4u);
  EXPECT_EQ(CountOf(asked, "patch configmaps/b"), 1u) << "it is heard to be free before";
  EXPECT_EQ(CountOf(asked, "patch configmaps/owner"), 1u);
  EXPECT_FALSE(w.IsThere("owner"));
  w.api.sim.Shutdown();
}

// CTRL-GC-23
TEST(GarbageOrphan, ADependentThatIsGoneIsNoError) {
  GarbageWorld w;
  w.StartCollector();
  const api::Object owner = w.Make("owner");
  w.Make("a", w.RefTo(owner));
  w.Make("b", w.RefTo(owner));
  w.Settle();
  w.Freeze("configmaps");
  w.DeleteAs("a", "Background");
  w.Freeze("configmaps", false);
  w.DeleteAs("owner", "Orphan");
  w.Settle();
  EXPECT_FALSE(w.IsThere("owner"));
  EXPECT_TRUE(w.IsThere("b"));
}

}  // namespace
}  // namespace ksim
