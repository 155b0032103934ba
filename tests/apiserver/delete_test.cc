// Deletions through the whole pipeline: the commits, and the events of watches.
#include <gtest/gtest.h>

#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using value::Path;
using value::Value;

using Lines = std::vector<std::string>;

const Path kGrace{"metadata", "deletionGracePeriodSeconds"};
const Path kFinalizers{"metadata", "finalizers"};

api::DeleteOptions Grace(std::int64_t seconds) {
  api::DeleteOptions options;
  options.grace_period_seconds = seconds;
  return options;
}

Value WithFinalizer(Value tree) { return tree.Set(kFinalizers, Json(R"(["example.com/wait"])")); }

class Deletes : public ::testing::Test {
 protected:
  // Opens a watch of the kind at the present version.
  std::shared_ptr<TestWatch> Follow(std::string_view resource) {
    return world.Watch(resource, "default", Options(std::to_string(world.revision())));
  }
  // The types of the watch's events: "MODIFIED", "DELETED".
  Lines Types(TestWatch& watch) {
    world.Advance(Milliseconds(100));
    Lines types;
    for (const auto& s : watch.seen) types.emplace_back(api::ToString(s.event.type));
    watch.seen.clear();
    return types;
  }
  void Bound() {
    ASSERT_EQ(world.Create("pods", "default", Pod("default", "p")).code, 201);
    ASSERT_EQ(world.Bind("default", "p", "n1").code, 201);
  }
  World world;
};

// API-99
// API-100
TEST_F(Deletes, ABoundPodIsMarkedAndGoesWithTheFinalDelete) {
  Bound();
  auto watch = Follow("pods");
  api::Response r = world.Delete("pods", "default", "p");
  EXPECT_EQ(r.code, 200);
  EXPECT_EQ(r.object.Get(kGrace).AsInt(), 30);
  EXPECT_EQ(r.object.generation(), 2);
  EXPECT_EQ(Types(*watch), Lines{"MODIFIED"});
  EXPECT_EQ(world.Get("pods", "default", "p").code, 200);

  const std::int64_t before = world.revision();
  r = world.Delete("pods", "default", "p", Grace(0));
  EXPECT_EQ(r.code, 200);
  EXPECT_EQ(world.revision(), before + 2);
  EXPECT_EQ(Types(*watch), (Lines{"MODIFIED", "DELETED"}));
  EXPECT_EQ(world.Get("pods", "default", "p").code, 404);
}

// API-266
TEST_F(Deletes, AServiceTakesTheEndpointsOfItsNameAlong) {
  for (const char* name : {"web", "other"}) {
    ASSERT_EQ(world
                  .Create("endpoints", "default",
                          Json(std::string(R"({"apiVersion":"v1","kind":"Endpoints",
                               "metadata":{"namespace":"default","name":")") +
                               name + R"("}})"))
                  .code,
              201);
  }
  ASSERT_EQ(world
                .Create("services", "default", Json(R"({"apiVersion":"v1","kind":"Service",
                    "metadata":{"name":"web","namespace":"default"},
                    "spec":{"ports":[{"port":80}]}})"))
                .code,
            201);
  EXPECT_EQ(world.Delete("services", "default", "web").code, 200);
  EXPECT_EQ(world.Get("endpoints", "default", "web").code, 404);
  EXPECT_EQ(world.Get("endpoints", "default", "other").code, 200);
  EXPECT_EQ(world.Delete("endpoints", "default", "web").code, 404);
}

// API-100
// API-98
TEST_F(Deletes, AnUnboundPodIsMarkedAndDeletedAtOnce) {
  world.Create("pods", "default", Pod("default", "p"));
  auto watch = Follow("pods");
  const api::Response r = world.Delete("pods", "default", "p");
  EXPECT_EQ(r.object.name(), "p");
  EXPECT_EQ(Types(*watch), (Lines{"MODIFIED", "DELETED"}));
}

// API-101
TEST_F(Deletes, ASecondDeleteOnlyShortens) {
  Bound();
  world.Delete("pods", "default", "p", Grace(60));
  auto watch = Follow("pods");
  const std::int64_t before = world.revision();
  EXPECT_EQ(world.Delete("pods", "default", "p", Grace(60)).code, 200);
  EXPECT_EQ(world.Delete("pods", "default", "p").code, 200);
  EXPECT_EQ(world.revision(), before);
  EXPECT_EQ(world.Delete("pods", "default", "p", Grace(20)).object.Get(kGrace).AsInt(), 20);
  EXPECT_EQ(Types(*watch), Lines{"MODIFIED"});
}

// API-100
// API-12
TEST_F(Deletes, AVersionPreconditionFollowsTheMark) {
  Bound();
  api::DeleteOptions options = Grace(0);
  options.resource_version =
      std::to_string(world.Get("pods", "default", "p").object.resource_version());
  EXPECT_EQ(world.Delete("pods", "default", "p", options).code, 200);
  EXPECT_EQ(world.Get("pods", "default", "p").code, 404);
}

// API-103
// API-104
// CTRL-DEL-01
TEST_F(Deletes, FinalizersHoldAPodAndTheirRemovalDeletesIt) {
  ASSERT_EQ(world.Create("pods", "default", WithFinalizer(Pod("default", "p"))).code, 201);
  auto watch = Follow("pods");
  const api::Object held = world.Delete("pods", "default", "p", Grace(0)).object;
  EXPECT_TRUE(held.deleting());
  EXPECT_EQ(held.Get(kGrace).AsInt(), 0);
  EXPECT_EQ(Types(*watch), Lines{"MODIFIED"});
  const std::int64_t before = world.revision();
  const api::Response r = world.Patch("pods", "default", "p", api::PatchType::kMerge,
                                      R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(r.code, 200);
  EXPECT_EQ(world.revision(), before + 1);
  world.Advance(Milliseconds(100));
  ASSERT_EQ(watch->seen.size(), 1u);
  EXPECT_EQ(watch->last().type, api::WatchEventType::kDeleted);
  EXPECT_EQ(watch->last().object.finalizers(), Lines{"example.com/wait"});
}

// API-102
// API-08
// API-29
TEST_F(Deletes, AKindWithoutGraceGoesInOneWrite) {
  const api::Object map = world.Create("configmaps", "default", ConfigMap("default", "m")).object;
  auto watch = Follow("configmaps");
  const std::int64_t before = world.revision();
  const api::Response r = world.Delete("configmaps", "default", "m");
  EXPECT_EQ(r.code, 200);
  EXPECT_TRUE(r.object.empty());
  EXPECT_EQ(r.status.details->kind, "configmaps");
  EXPECT_EQ(r.status.details->name, "m");
  EXPECT_EQ(r.status.details->uid, map.uid());
  EXPECT_EQ(world.revision(), before + 1);
  world.Advance(Milliseconds(100));
  EXPECT_EQ(watch->Lines(), Lines{"DELETED m " + std::to_string(before + 1)});
  EXPECT_EQ(watch->last().object.tree(), map.tree());
}

// API-102
// API-80
TEST_F(Deletes, FinalizersHoldAnyKindAndMayOnlyGo) {
  world.Create("configmaps", "default", WithFinalizer(ConfigMap("default", "m")));
  auto watch = Follow("configmaps");
  const api::Response marked = world.Delete("configmaps", "default", "m");
  EXPECT_EQ(marked.code, 200);
  EXPECT_TRUE(marked.object.deleting());
  const std::int64_t before = world.revision();
  EXPECT_EQ(world.Delete("configmaps", "default", "m").code, 200);
  EXPECT_EQ(world.revision(), before) << "the mark does not move";
  EXPECT_EQ(Types(*watch), Lines{"MODIFIED"});
  const api::Response added =
      world.Patch("configmaps", "default", "m", api::PatchType::kJson,
                  R"([{"op":"add","path":"/metadata/finalizers/-","value":"example.com/more"}])");
  EXPECT_EQ(added.code, 422);
  EXPECT_EQ(world
                .Patch("configmaps", "default", "m", api::PatchType::kMerge,
                       R"({"metadata":{"finalizers":[]}})")
                .code,
            200);
  EXPECT_EQ(Types(*watch), Lines{"DELETED"});
}

// API-97
// API-111
TEST_F(Deletes, PreconditionsAndMissingObjects) {
  world.Create("configmaps", "default", ConfigMap("default", "m"));
  api::DeleteOptions options;
  options.uid = "other";
  api::Response r = world.Delete("configmaps", "default", "m", options);
  EXPECT_EQ(r.code, 409);
  EXPECT_EQ(r.status.details->kind, "ConfigMap");
  r = world.Delete("configmaps", "default", "none");
  EXPECT_EQ(r.code, 404);
  EXPECT_EQ(r.status.message, "configmaps \"none\" not found");
  EXPECT_EQ(r.status.details->kind, "configmaps");
}

// API-111
TEST_F(Deletes, OnlyOneOfRacingDeletesFindsTheObject) {
  world.Create("configmaps", "default", ConfigMap("default", "m"));
  const api::Request request = world.Request(api::Verb::kDelete, "configmaps", "default", "m");
  const auto a = world.Start(request);
  const auto b = world.Start(request);
  world.Advance(Seconds(1));
  EXPECT_EQ(std::min(a->code, b->code), 200);
  EXPECT_EQ(std::max(a->code, b->code), 404);
}

// API-107
TEST_F(Deletes, OnlyAnOldClientHears202) {
  world.Create("configmaps", "default", WithFinalizer(ConfigMap("default", "m")));
  api::DeleteOptions options;
  options.orphan_dependents = false;
  EXPECT_EQ(world.Delete("configmaps", "default", "m", options).code, 202);
  EXPECT_EQ(world.Delete("configmaps", "default", "m").code, 200);
}

// API-105
// API-106
TEST_F(Deletes, PropagationLeavesItsFinalizer) {
  const auto created = [&](const char* name) {
    world.Create("configmaps", "default", ConfigMap("default", name));
  };
  api::DeleteOptions options;
  options.propagation_policy = "Foreground";
  created("f");
  EXPECT_EQ(world.Delete("configmaps", "default", "f", options).object.finalizers(),
            Lines{"foregroundDeletion"});
  options.propagation_policy = "Orphan";
  created("o");
  EXPECT_EQ(world.Delete("configmaps", "default", "o", options).object.finalizers(),
            Lines{"orphan"});
  options.propagation_policy = "Background";
  created("b");
  EXPECT_TRUE(world.Delete("configmaps", "default", "b", options).object.empty());
}

// API-108
TEST_F(Deletes, ACollectionGoesOneByOne) {
  for (const char* name : {"c", "a", "b"})
    world.Create("configmaps", "default", ConfigMap("default", name));
  world.Patch("configmaps", "default", "b", api::PatchType::kMerge,
              R"({"metadata":{"labels":{"keep":"me"}}})");
  api::Request request = world.Request(api::Verb::kDeleteCollection, "configmaps", "default", "");
  request.list.label_selector = "!keep";
  auto watch = Follow("configmaps");
  const api::Response r = world.Do(request);
  EXPECT_EQ(r.code, 200);
  EXPECT_EQ(Names(r), (Lines{"a", "c"}));
  EXPECT_EQ(Names(world.List("configmaps", "default")), Lines{"b"});
  EXPECT_EQ(Types(*watch), (Lines{"DELETED", "DELETED"}));
}

// API-108
TEST(DeleteCollection, AtAVersionIsExactFrom130On) {
  for (const Compat compat : kProfiles) {
    World world{WorldOptions(compat)};
    const api::Object a = world.Create("configmaps", "default", ConfigMap("default", "a")).object;
    world.Create("configmaps", "default", ConfigMap("default", "b"));
    world.Advance(Seconds(1));
    api::Request request = world.Request(api::Verb::kDeleteCollection, "configmaps", "default", "");
    request.list.resource_version = std::to_string(a.resource_version());
    const api::Response r = world.Do(request);
    ASSERT_EQ(r.code, 200) << r.status.message;
    const bool exact = compat != Compat::k1_25;
    EXPECT_EQ(Names(r), exact ? Lines{"a"} : (Lines{"a", "b"}));
    EXPECT_EQ(r.list_rv == a.resource_version(), exact);
    EXPECT_EQ(Names(world.List("configmaps", "default")), exact ? Lines{"b"} : Lines{});

    // A version that etcd has compacted is gone only where it has to be met exactly.
    world.Create("configmaps", "default", ConfigMap("default", "c"));
    world.Advance(Seconds(1));
    ASSERT_TRUE(world.store().Compact(store::CompactRequest(world.revision(), {})).ok());
    world.server().faults().watch_cache(world.Kind("configmaps")).ExpireHistory();
    const api::Response late = world.Do(request);
    EXPECT_EQ(late.code, exact ? 410 : 200) << late.status.message;
  }
}

// API-108
TEST(DeleteCollection, GoesInPagesFrom130On) {
  constexpr int kMore = 10001;
  for (const Compat compat : kProfiles) {
    World world{WorldOptions(compat)};
    const Value map = ConfigMap("default", "m");
    for (int i = 0; i < kMore; ++i) {
      const std::string name = "m" + std::to_string(10000 + i);
      const store::PutRequest put("/registry/configmaps/default/" + name,
                                  map.Set(Path{"metadata", "name"}, Value::Of(name)));
      ASSERT_TRUE(world.store().Put(put).ok());
    }
    world.Advance(Seconds(1));
    api::Request request = world.Request(api::Verb::kDeleteCollection, "configmaps", "default", "");
    const auto answer = world.Start(request);
    world.RunUntil([&] { return World::Answered(answer); });
    ASSERT_EQ(answer->code, 200) << answer->status.message;
    EXPECT_EQ(answer->items.size(), static_cast<std::size_t>(kMore));
    EXPECT_TRUE(Names(world.List("configmaps", "default")).empty());
    // The metadata of the answer is that of the first page.
    EXPECT_EQ(answer->continue_token.empty(), compat == Compat::k1_25);
  }
}

// API-74
TEST_F(Deletes, ADryRunDeletesNothing) {
  world.Create("configmaps", "default", ConfigMap("default", "m"));
  const std::int64_t before = world.revision();
  api::Request request = world.Request(api::Verb::kDelete, "configmaps", "default", "m");
  request.dry_run = true;
  EXPECT_EQ(world.Do(request).code, 200);
  EXPECT_EQ(world.revision(), before);
  EXPECT_EQ(world.Get("configmaps", "default", "m").code, 200);
}

// API-110
// API-104
TEST(DeleteNamespace, TerminatesUntilItIsFinalized) {
  World world;
  const Value ns = Json(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"x"}})");
  const api::Object created = world.Create("namespaces", "", ns).object;
  EXPECT_EQ(created.status().Get("phase").AsString(), "Active");
  EXPECT_EQ(created.Get(Path{"spec", "finalizers"}), Json(R"(["kubernetes"])"));
  EXPECT_EQ(created.Label("kubernetes.io/metadata.name"), "x");

  const api::Object going = world.Delete("namespaces", "", "x").object;
  EXPECT_TRUE(going.deleting());
  EXPECT_EQ(going.status().Get("phase").AsString(), "Terminating");
  const std::int64_t before = world.revision();
  EXPECT_EQ(world.Delete("namespaces", "", "x").code, 200);
  EXPECT_EQ(world.revision(), before);

  const Value empty = going.ToTree().Set(Path{"spec", "finalizers"}, Value::EmptyArray());
  EXPECT_EQ(world.Update("namespaces", empty, "finalize").code, 200);
  EXPECT_EQ(world.Get("namespaces", "", "x").code, 404);
}

// API-129
TEST(DeleteNamespace, TheSystemsOwnStay) {
  World world;
  for (const char* ns : {"default", "kube-system", "kube-public"}) {
    const api::Response r = world.Delete("namespaces", "", ns);
    EXPECT_EQ(r.code, 403) << ns;
    EXPECT_TRUE(r.status.message.ends_with("this namespace may not be deleted"));
  }
}

}  // namespace
}  // namespace ksim::apiserver
