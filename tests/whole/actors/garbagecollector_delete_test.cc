// The garbage collector deletes what has lost its owners, and keeps what somebody wants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/rest/fault_hooks.h"
#include "tests/whole/actors/garbagecollector_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr bool DeletesAtVersion(api::Compat compat) { return compat == api::Compat::k1_36; }

// CTRL-GC-07, CTRL-GC-14, CTRL-GC-18, CTRL-GC-21: the owner is known to be absent, so that nobody
// asks for it.
TEST(GarbageCollector, DeletesTheDependentsOfADeletedOwner) {
  for (const api::Compat compat : kCompats) {
    GarbageWorld w(compat);
    w.StartCollector();
    const api::Object owner = w.Make("owner");
    w.Make("a", w.RefTo(owner));
    w.Make("b", w.RefTo(owner));
    w.Make("c");
    w.Settle();
    EXPECT_THAT(w.Asked(), IsEmpty()) << "the owner was there first";
    w.DeleteAs("owner", "Background");
    w.Settle();
    const std::string how = DeletesAtVersion(compat) ? " Background uid rv" : " Background uid";
    EXPECT_THAT(w.Asked(), testing::UnorderedElementsAre("get configmaps/a", "get configmaps/b",
                                                         "delete configmaps/a" + how,
                                                         "delete configmaps/b" + how));
    EXPECT_FALSE(w.IsThere("a") || w.IsThere("b"));
    EXPECT_TRUE(w.IsThere("c"));
  }
}

// CTRL-GC-02, CTRL-GC-05: an owner that never was. The second dependent profits of what is known.
TEST(GarbageCollector, DeletesWhatRefersToNobody) {
  GarbageWorld w(api::Compat::k1_36);
  w.StartCollector();
  w.Make("a", w.RefToNobody());
  w.Settle();
  EXPECT_THAT(w.Asked(), ElementsAre("get configmaps/nobody", "get configmaps/a",
                                     "delete configmaps/a Background uid rv"));
  EXPECT_FALSE(w.IsThere("a"));
  w.Make("b", w.RefToNobody());
  w.Settle();
  EXPECT_THAT(w.Asked(), ElementsAre("get configmaps/nobody", "get configmaps/b",
                                     "delete configmaps/b Background uid rv"))
      << "a virtual node is looked at again all the same";
}

// CTRL-GC-02, kubernetes#56121: no informer will tell of an owner that came and went between two
// lists.
TEST(GarbageCollector, AnOwnerThatCameAndWentUnseenIsNoticed) {
  GarbageWorld w;
  w.StartCollector();
  w.Create("secrets", R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"first"}})");
  w.Settle();
  w.Freeze("secrets");
  const api::Object owner =
      w.Create("secrets", R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"owner"}})");
  w.Make("a", w.RefTo(owner));
  w.Settle();
  EXPECT_TRUE(w.IsThere("a"));
  w.Delete("secrets", "owner");
  w.Relist("secrets");
  w.Advance(Minutes(1));
  EXPECT_FALSE(w.IsThere("a"));
}

// CTRL-GC-05: an object of the owner's name with another uid is another object.
TEST(GarbageCollector, AnotherIncarnationOfTheOwnerIsNone) {
  GarbageWorld w;
  w.Make("owner");
  w.Make("a", w.RefTo("v1", "ConfigMap", "owner", "of-another-life"));
  w.StartCollector();
  w.Settle();
  EXPECT_FALSE(w.IsThere("a"));
  EXPECT_TRUE(w.IsThere("owner"));
}

// CTRL-GC-19
TEST(GarbageCollector, KeepsWhatAnotherOwnerWantsAndDropsTheDeadReference) {
  for (const api::Compat compat : kCompats) {
    GarbageWorld w(compat);
    w.StartCollector();
    const api::Object one = w.Make("one"), two = w.Make("two");
    const std::string uid(w.Make("a", w.RefTo(one) + "," + w.RefTo(two)).uid());
    w.DeleteAs("one", "Background");
    w.Settle();
    EXPECT_THAT(w.Asked(),
                ElementsAre("get configmaps/a", "get configmaps/two",
                            fmt::format(R"(patch configmaps/a {{"metadata":{{"ownerReferences":)"
                                        R"([{{"$patch":"delete","uid":"{}"}}],"uid":"{}"}}}})",
                                        one.uid(), uid)));
    const value::Value references = w.Get("configmaps", "a").metadata().Get("ownerReferences");
    ASSERT_EQ(references.size(), 1u);
    EXPECT_EQ(references.at(0).Get("name").AsString(), "two");
    w.DeleteAs("two", "Background");
    w.Settle();
    EXPECT_FALSE(w.IsThere("a"));
  }
}

// CTRL-GC-18: nothing is done about what is being deleted anyway.
TEST(GarbageCollector, LeavesWhatIsBeingDeleted) {
  GarbageWorld w;
  w.StartCollector();
  const api::Object owner = w.Make("owner");
  w.Make("a", w.RefTo(owner), R"("example.dev/mine")");
  w.DeleteAs("a", "Background");
  w.Settle();
  w.Forget();
  w.DeleteAs("owner", "Background");
  w.Settle();
  EXPECT_THAT(w.Asked(), IsEmpty());
  EXPECT_TRUE(w.IsThere("a"));
}

// CTRL-GC-21: the finalizers of an object that is not being deleted yet say how it will be.
TEST(GarbageCollector, TheObjectsOwnFinalizerSaysThePolicy) {
  for (const auto& [finalizer, policy] :
       {std::pair(R"("orphan")", "Orphan"), std::pair(R"("foregroundDeletion")", "Foreground")}) {
    GarbageWorld w;
    w.StartCollector();
    const api::Object owner = w.Make("owner");
    const api::Object a = w.Make("a", w.RefTo(owner), finalizer);
    w.Make("child", w.RefTo(a, true));
    w.Settle();
    w.Forget();
    w.DeleteAs("owner", "Background");
    w.Advance(Seconds(5));
    EXPECT_THAT(w.Asked(), Contains(fmt::format("delete configmaps/a {} uid", policy)));
    EXPECT_FALSE(w.IsThere("a"));
    EXPECT_EQ(w.IsThere("child"), std::string_view(policy) == "Orphan");
  }
}

// CTRL-GC-06
TEST(GarbageCollector, AnOwnerOfClusterScopeIsFoundFromAnyNamespace) {
  GarbageWorld w;
  w.StartCollector();
  w.AddNode("n1");
  const api::Object node = w.Get("nodes", "n1");
  w.Freeze("nodes");
  w.Make("a", w.RefTo(node));
  w.Settle();
  EXPECT_TRUE(w.IsThere("a"));
  w.Freeze("nodes", false);
  w.Settle();
  EXPECT_TRUE(w.IsThere("a"));
  w.Delete("nodes", "n1");
  w.Settle();
  EXPECT_FALSE(w.IsThere("a"));
}

// CTRL-GC-06: the variant gc.scope: childNamespace (B8).
TEST(GarbageCollector, TheVariantLooksForAnOwnerOfClusterScopeInTheWrongPlace) {
  ActorWorldOptions options(api::Compat::k1_30, {{"gc.scope", "childNamespace"}});
  GarbageWorld w(options);
  w.StartCollector();
  w.AddNode("n1");
  const api::Object node = w.Get("nodes", "n1");
  w.Settle();
  w.Make("b", w.RefTo(node));
  w.Settle();
  EXPECT_TRUE(w.IsThere("b")) << "the graph knows the owner";
  w.AddNode("n2");
  const api::Object second = w.Get("nodes", "n2");
  w.Advance(Milliseconds(1));
  w.Freeze("nodes");
  w.AddNode("n3");
  w.Make("a", w.RefTo(w.Get("nodes", "n3")));
  w.Settle();
  EXPECT_FALSE(w.IsThere("a"));
}

// CTRL-GC-06
TEST(GarbageCollector, AnObjectOfClusterScopeWithANamespacedOwnerStays) {
  for (const bool owner_first : {false, true}) {
    GarbageWorld w;
    const api::Object owner = w.Make("owner");
    const auto adopt = [&] {
      w.AddNode("n1");
      w.Patch("nodes", "n1", "{\"metadata\":{\"ownerReferences\":[" + w.RefTo(owner) + "]}}");
    };
    if (!owner_first) adopt();
    w.StartCollector();
    if (owner_first) adopt();
    w.Settle();
    w.DeleteAs("owner", "Background");
    w.Settle();
    w.Forget();
    w.Advance(Minutes(10));
    EXPECT_THAT(w.Asked(), IsEmpty()) << "nobody tries again";
    EXPECT_FALSE(w.Get("nodes", "n1").empty());
  }
}

// CTRL-GC-09
TEST(GarbageCollector, AnOwnerInAnotherNamespaceIsNone) {
  for (const bool owner_first : {false, true}) {
    GarbageWorld w;
    w.MakeNamespace("other");
    const api::Object owner = w.MakeIn("other", "owner");
    if (!owner_first) w.Make("a", w.RefTo(owner));
    w.StartCollector();
    w.Settle();
    if (owner_first) w.Make("a", w.RefTo(owner));
    w.Settle();
    EXPECT_FALSE(w.IsThere("a"));
    w.Forget();
    w.Advance(Seconds(1));
    std::vector<std::string> texts;
    for (const sim::Event& e : w.events()) {
      if (e.kind != sim::EventKind::kRequest) continue;
      const api::Request& r = e.payload.As<client::RequestPayload>().request;
      if (r.resource->resource != "events" || r.verb != api::Verb::kCreate) continue;
      texts.emplace_back(r.body.Get("message").AsString());
      EXPECT_EQ(r.body.Get("reason").AsString(), "OwnerRefInvalidNamespace");
      EXPECT_EQ(r.body.Get("source").Get("component").AsString(), "garbage-collector-controller");
      EXPECT_EQ(r.body.Get("involvedObject").Get("name").AsString(), "a");
    }
    EXPECT_THAT(texts, ElementsAre(fmt::format("ownerRef [v1/ConfigMap, namespace: default, name: "
                                               "owner, uid: {}] does not exist in namespace "
                                               "\"default\"",
                                               owner.uid())));
    EXPECT_FALSE(
        w.Do(w.api.Request(api::Verb::kGet, "configmaps", "other", "owner")).object.empty());
  }
}

// CTRL-GC-08, and the variant gc.absentOwners: uid (B22, kubernetes#65200). The collector hears of
// a child with a wrong reference first, of the right one then, and of the owner last.
TEST(GarbageCollector, AWrongReferenceHurtsOnlyTheOneThatHasIt) {
  for (const char* variant : {"coordinates", "uid"}) {
    ActorWorldOptions options(api::Compat::k1_30, {{"gc.absentOwners", variant}});
    GarbageWorld w(options);
    w.MakeNamespace("other");
    w.Make("first");
    w.StartCollector();
    w.Create("secrets", R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"first"}})");
    w.Settle();
    w.Freeze("secrets");
    w.Freeze("configmaps");
    api::Request r = w.api.Request(api::Verb::kCreate, "secrets", "other", "");
    r.body = apiserver::Json(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"owner"}})");
    const api::Object owner = w.Do(std::move(r)).object;
    w.Make("bad", w.RefTo(owner));
    w.MakeIn("other", "good", w.RefTo(owner));
    w.Freeze("configmaps", false);
    w.Advance(Seconds(5));
    w.Freeze("secrets", false);
    w.Advance(Seconds(30));
    EXPECT_FALSE(w.IsThere("bad"));
    const bool good =
        !w.Do(w.api.Request(api::Verb::kGet, "configmaps", "other", "good")).object.empty();
    EXPECT_EQ(good, std::string_view(variant) == "coordinates");
  }
}

// CTRL-GC-14: what others write between the look and the deletion.
TEST(GarbageCollector, AConflictIsLookedInto) {
  enum class Change { kLabel, kOwner, kGone };
  for (const Change change : {Change::kLabel, Change::kOwner, Change::kGone}) {
    GarbageWorld w(api::Compat::k1_36);
    client::FaultHooks hooks(w.api.sim);
    w.env.faults = &hooks;
    w.StartCollector();
    const api::Object owner = w.Make("owner"), other = w.Make("other");
    w.Make("a", w.RefTo(owner));
    w.Settle();
    w.Forget();
    bool done = false;
    hooks.AddJudge([&](const api::Request& r) {
      client::Mishap mishap;
      if (r.verb != api::Verb::kDelete || r.client.str() != "garbagecollector" || done)
        return mishap;
      done = true;
      mishap.kind = client::Mishap::Kind::kRejected;
      mishap.status = api::Conflict(api::GroupResource("", "ConfigMap"), "a", "no");
      return mishap;
    });
    w.DeleteAs("owner", "Background");
    while (!done) w.Advance(Microseconds(100));
    if (change == Change::kLabel) w.Patch("configmaps", "a", R"({"data":{"a":"b"}})");
    if (change == Change::kOwner)
      w.Patch("configmaps", "a", "{\"metadata\":{\"ownerReferences\":[" + w.RefTo(other) + "]}}");
    if (change == Change::kGone) w.DeleteAs("a", "Background");
    w.Advance(Seconds(5));
    const std::vector<std::string> asked = w.Asked();
    w.api.sim.Shutdown();
    if (change == Change::kLabel)
      EXPECT_THAT(asked, Contains("delete configmaps/a Background uid"));
    else
      EXPECT_THAT(asked, testing::Not(Contains("delete configmaps/a Background uid")));
  }
}

// CTRL-GC-15
TEST(GarbageCollector, ADeletionThatFindsNothing) {
  for (const api::Compat compat : kCompats) {
    GarbageWorld w(compat);
    client::FaultHooks hooks(w.api.sim);
    w.env.faults = &hooks;
    w.StartCollector();
    const api::Object owner = w.Make("owner");
    w.Make("a", w.RefTo(owner));
    w.Settle();
    w.Forget();
    bool done = false;
    hooks.AddJudge([&](const api::Request& r) {
      client::Mishap mishap;
      if (r.verb != api::Verb::kDelete || r.client.str() != "garbagecollector" || done)
        return mishap;
      done = true;
      mishap.kind = client::Mishap::Kind::kRejected;
      mishap.status = api::NotFound(api::GroupResource("", "configmaps"), "a");
      return mishap;
    });
    w.DeleteAs("owner", "Background");
    w.Advance(Seconds(5));
    const auto asked = w.Asked();
    const auto looks = std::count(asked.begin(), asked.end(), "get configmaps/a");
    EXPECT_EQ(looks, DeletesAtVersion(compat) ? 1 : 2);
    w.api.sim.Shutdown();
  }
}

// A restart loses the graph; the lists bring it back.
TEST(GarbageCollector, ADeletionThatItMissedIsMadeUpFor) {
  GarbageWorld w;
  const api::Object owner = w.Make("owner");
  w.Make("a", w.RefTo(owner));
  w.DeleteAs("owner", "Background");
  w.StartCollector();
  w.Settle();
  EXPECT_FALSE(w.IsThere("a"));
}

}  // namespace
}  // namespace ksim
