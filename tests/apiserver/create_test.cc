// Creating objects through the whole pipeline.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using value::Path;
using value::Value;

Value Generated(std::string_view base) {
  return Pod("default", "")
      .Erase(Path{"metadata", "name"})
      .Set(Path{"metadata", "generateName"}, Value::Of(base));
}

// API-61
// API-68
// API-69
TEST(Create, FillsInWhatTheServerDecides) {
  World world;
  world.Advance(Milliseconds(1500));
  const Value pod =
      Pod("default", "p1")
          .Set(Path{"metadata", "uid"}, Value::Of("mine"))
          .Set(Path{"metadata", "creationTimestamp"}, Value::Of("2001-01-01T00:00:00Z"))
          .Set(Path{"metadata", "generation"}, Value::Of(9))
          .Set(Path{"metadata", "deletionGracePeriodSeconds"}, Value::Of(5))
          .Set(Path{"status", "phase"}, Value::Of("Running"));
  const api::Response r = world.Create("pods", "default", pod);
  ASSERT_EQ(r.code, 201) << r.status.message;
  EXPECT_EQ(r.object.uid().size(), 36u);
  EXPECT_EQ(r.object.uid()[14], '4');
  EXPECT_EQ(r.object.creation_time()->ns() % 1'000'000'000, 0);
  EXPECT_GE(*r.object.creation_time(), VirtualTime() + Seconds(1));
  EXPECT_EQ(r.object.generation(), 1);
  EXPECT_FALSE(r.object.metadata().Has("deletionGracePeriodSeconds"));
  EXPECT_EQ(r.object.status().Get("phase").AsString(), "Pending");
  EXPECT_EQ(r.object.resource_version(), world.revision());
  EXPECT_EQ(world.Get("pods", "default", "p1").object.tree(), r.object.tree());
}

// API-63: the uid is the server's, another for each object and each seed; the time is now, in whole
// seconds.
TEST(Create, UidAndCreationTimeAreTheServers) {
  const Path kUid{"metadata", "uid"}, kTime{"metadata", "creationTimestamp"};
  const std::string wished = "11111111-2222-4333-8444-555555555555";
  std::set<std::string> uids{wished};
  for (const std::uint64_t seed : {1u, 2u}) {
    WorldOptions options;
    options.seed = seed;
    World world(options);
    for (const char* name : {"a", "b", "a again"}) {
      world.Advance(Milliseconds(1700));
      if (std::string_view(name) == "a again") world.Delete("configmaps", "default", "a");
      const VirtualTime before = world.sim.now();
      const api::Response r = world.Create("configmaps", "default",
                                           ConfigMap("default", std::string_view(name).substr(0, 1))
                                               .Set(kUid, Value::Of(wished))
                                               .Set(kTime, Value::Of("2025-01-01T00:00:01Z")));
      ASSERT_EQ(r.code, 201) << r.status.message;
      EXPECT_TRUE(uids.emplace(r.object.uid()).second) << r.object.uid();
      EXPECT_EQ(r.object.uid()[14], '4');
      EXPECT_NE(std::string("89ab").find(r.object.uid()[19]), std::string::npos);
      const VirtualTime made = *r.object.creation_time();
      EXPECT_EQ(made.ns() % 1'000'000'000, 0);
      EXPECT_EQ(made.ns() / 1'000'000'000, before.ns() / 1'000'000'000) << name;
      EXPECT_GE(before.ns() / 1'000'000'000, 1) << "or the client's time would be now";
    }
  }
}

// API-01: an object's version is the decimal form of the store's revision at its last write, which
// all kinds share.
TEST(Create, AVersionIsTheStoresRevisionAtTheLastWrite) {
  World world;
  const api::Object pod = world.Create("pods", "default", Pod("default", "p")).object;
  EXPECT_EQ(pod.resource_version(), world.revision());
  EXPECT_EQ(pod.ToTree().Get(Path{"metadata", "resourceVersion"}).AsString(),
            std::to_string(world.revision()));
  const std::int64_t listed = world.List("pods", "default").list_rv;
  EXPECT_EQ(listed, world.revision());
  const api::Object node =
      world
          .Create("nodes", "", Json(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})"))
          .object;
  EXPECT_EQ(node.resource_version(), pod.resource_version() + 1) << "one counter for all kinds";
  EXPECT_EQ(world.List("pods", "default").list_rv, node.resource_version());
  EXPECT_EQ(world.Get("pods", "default", "p").object.resource_version(), pod.resource_version());
  const api::Object changed = world
                                  .Patch("pods", "default", "p", api::PatchType::kMerge,
                                         R"({"metadata":{"labels":{"a":"b"}}})")
                                  .object;
  EXPECT_EQ(changed.resource_version(), world.revision());
  EXPECT_EQ(changed.resource_version(), node.resource_version() + 1);
  for (const char* rv : {"", "0"}) {
    world.Advance(Seconds(1));
    EXPECT_EQ(world.Get("pods", "default", "p", rv).object.resource_version(),
              changed.resource_version());
    const api::Response list = world.List("pods", "default", Options(rv));
    EXPECT_EQ(list.items.at(0).resource_version(), changed.resource_version());
  }
}

// API-01: the server compares versions as numbers: 9 is less than 10, and 010 is 10.
TEST(Create, VersionsAreComparedAsNumbers) {
  for (const Compat compat : kProfiles) {
    World world{WorldOptions(compat)};
    while (world.revision() < 105)
      world.Create("configmaps", "default",
                   ConfigMap("default", "m" + std::to_string(world.revision())));
    const api::Object map = world.Create("configmaps", "default", ConfigMap("default", "m")).object;
    world.Advance(Seconds(1));
    const VirtualTime before = world.sim.now();
    for (const char* older : {"9", "99"}) {
      EXPECT_EQ(world.Get("configmaps", "default", "m", older).code, 200);
      EXPECT_EQ(world.List("configmaps", "default", Options(older)).code, 200);
    }
    EXPECT_LT(world.sim.now() - before, Seconds(1)) << "nothing to wait for";
    EXPECT_EQ(world.Get("configmaps", "default", "m", "1000").code, 504) << "of the future";
    const Path kVersion{"metadata", "resourceVersion"};
    const std::string padded = "0" + std::to_string(map.resource_version());
    EXPECT_EQ(world
                  .Update("configmaps",
                          ConfigMap("default", "m", "2").Set(kVersion, Value::String(padded)))
                  .code,
              200);
  }
}

// API-69
TEST(Create, PodsHaveNoGenerationInOlderProfiles) {
  for (const Compat compat : {Compat::k1_25, Compat::k1_30}) {
    World world{WorldOptions(compat)};
    EXPECT_EQ(world.Create("pods", "default", Pod("default", "p")).object.generation(), 0);
  }
}

// API-62
// API-70
TEST(Create, ChecksNamespaceAndType) {
  World world;
  EXPECT_EQ(world.Create("configmaps", "default", ConfigMap("", "m")).object.ns(), "default");
  const api::Response other = world.Create("configmaps", "default", ConfigMap("kube-system", "m"));
  EXPECT_EQ(other.code, 400);
  EXPECT_EQ(
      other.status.message,
      "the namespace of the provided object does not match the namespace sent on the request");
  const Value typed = ConfigMap("default", "n");
  EXPECT_EQ(world.Create("configmaps", "default", typed.Set("kind", Value::Of("Secret"))).code,
            400);
  EXPECT_EQ(world.Create("configmaps", "default", typed.Set("apiVersion", Value::Of("v2"))).code,
            400);
  EXPECT_EQ(world.Create("configmaps", "default", typed.Erase("kind").Erase("apiVersion")).code,
            201);
  EXPECT_EQ(world.Create("configmaps", "default", Value::Of(1)).code, 400);
}

// API-64
TEST(Create, GeneratesNames) {
  World world;
  const api::Response r = world.Create("pods", "default", Generated("web-"));
  ASSERT_EQ(r.code, 201) << r.status.message;
  const std::string name(r.object.name());
  EXPECT_EQ(name.size(), 9u);
  EXPECT_TRUE(name.starts_with("web-"));
  EXPECT_EQ(name.find_first_not_of("bcdfghjklmnpqrstvwxz2456789", 4), std::string::npos);
  const api::Response long_name = world.Create("pods", "default", Generated(std::string(80, 'a')));
  EXPECT_EQ(long_name.object.name().size(), 63u);
}

// The names that the server would generate next for a base, without creating anything.
std::vector<std::string> NextNames(std::uint64_t seed, int n) {
  WorldOptions options;
  options.seed = seed;
  std::vector<std::string> names;
  // Every name is taken, one by one, until the attempt after it succeeds.
  for (int i = 0; i < n; ++i) {
    World world(options);
    for (const std::string& taken : names)
      EXPECT_EQ(world.Create("pods", "default", Pod("default", taken)).code, 201);
    names.emplace_back(world.Create("pods", "default", Generated("web-")).object.name());
  }
  return names;
}

// API-65
// API-27
// CTRL-C-14
TEST(Create, TriesEightNamesFrom136On) {
  const std::vector<std::string> names = NextNames(3, 8);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 8u);
  WorldOptions options;
  options.seed = 3;
  World world(options);
  for (const std::string& name : names)
    ASSERT_EQ(world.Create("pods", "default", Pod("default", name)).code, 201);
  const std::int64_t before = world.revision();
  const api::Response r = world.Create("pods", "default", Generated("web-"));
  EXPECT_EQ(r.code, 409);
  EXPECT_EQ(r.status.reason, "AlreadyExists");
  EXPECT_EQ(r.status.details->retry_after_seconds, 1);
  EXPECT_EQ(world.revision(), before);
}

// API-65
// CTRL-C-14
TEST(Create, TriesOneNameInOlderProfiles) {
  WorldOptions options(Compat::k1_30);
  std::string first;
  {
    World world(options);
    first = world.Create("pods", "default", Generated("web-")).object.name();
  }
  World world(options);
  ASSERT_EQ(world.Create("pods", "default", Pod("default", first)).code, 201);
  const api::Response r = world.Create("pods", "default", Generated("web-"));
  EXPECT_EQ(r.code, 409);
  EXPECT_EQ(r.status.details->retry_after_seconds, 1);
}

// API-65, CTRL-C-14: the message is the same for a name that the client chose, once the object has
// a generateName.
TEST(Create, AGivenNameBesideABaseIsSaidNotToBeUniqueToo) {
  for (const Compat compat : {Compat::k1_25, Compat::k1_30, Compat::k1_36}) {
    World world{WorldOptions(compat)};
    const Value both =
        Pod("default", "web-x").Set(Path{"metadata", "generateName"}, Value::Of("web-"));
    ASSERT_EQ(world.Create("pods", "default", both).code, 201);
    const api::Response r = world.Create("pods", "default", both);
    EXPECT_EQ(r.code, 409);
    EXPECT_EQ(r.status.message,
              "pods \"web-x\" already exists, the server was not able to generate a unique name "
              "for the object");
    EXPECT_EQ(r.status.details->retry_after_seconds, 1);
  }
}

// CTRL-C-14
TEST(Create, AGeneratedNameIsFiveLettersBehindItsBaseCutTo58) {
  World world;
  std::set<char> letters;
  for (int i = 0; i < 200; ++i) {
    const std::string name(
        world.Create("pods", "default", Generated(std::string(70, 'x'))).object.name());
    ASSERT_EQ(name.size(), 63u);
    EXPECT_EQ(name.substr(0, 58), std::string(58, 'x'));
    letters.insert(name.end() - 5, name.end());
  }
  EXPECT_EQ(std::string(letters.begin(), letters.end()), "2456789bcdfghjklmnpqrstvwxz");
}

// API-65
TEST(Create, NeedsANameOrABaseForOne) {
  World world;
  const api::Response r =
      world.Create("pods", "default", Pod("default", "").Erase(Path{"metadata", "name"}));
  EXPECT_EQ(r.code, 422);
  ASSERT_FALSE(r.status.details->causes.empty());
  EXPECT_EQ(r.status.details->causes[0].field, "metadata.name");
  EXPECT_EQ(r.status.details->causes[0].message,
            "Required value: name or generateName is required");
}

// API-07: one revision for each key that is written, none for what is refused or changes nothing.
TEST(Create, WritesTakeOneRevisionAKeyAndOthersNone) {
  using Verb = std::function<int(World&)>;
  const auto merge = [](const char* json) {
    return [json](World& w) {
      return w.Patch("configmaps", "default", "m", api::PatchType::kMerge, json).code;
    };
  };
  const auto put = [](const char* data, const char* rv) {
    return [data, rv](World& w) {
      Value map = w.Get("configmaps", "default", "m").object.ToTree();
      map = map.Set(Path{"data", "k"}, Value::Of(data));
      if (*rv != 0) map = map.Set(Path{"metadata", "resourceVersion"}, Value::Of(rv));
      return w.Update("configmaps", map).code;
    };
  };
  const auto remove = [](const char* name) {
    return [name](World& w) { return w.Delete("configmaps", "default", name).code; };
  };
  const auto create = [](const char* name) {
    return [name](World& w) {
      return w.Create("configmaps", "default", ConfigMap("default", name)).code;
    };
  };
  struct Case {
    const char* name;
    Verb verb;
    int code;
    int revisions;
  };
  for (const Compat compat : kProfiles) {
    World world{WorldOptions(compat)};
    for (const Case& c : std::vector<Case>{
             {"create", create("m"), 201, 1},
             {"create what is there", create("m"), 409, 0},
             {"create what is invalid", create("NO"), 422, 0},
             {"update", put("1", ""), 200, 1},
             {"update to the same", put("1", ""), 200, 0},
             {"update of an old version", put("2", "1"), 409, 0},
             {"patch", merge(R"({"data":{"k":"3"}})"), 200, 1},
             {"patch to the same", merge(R"({"data":{"k":"3"}})"), 200, 0},
             {"patch to what is invalid", merge(R"({"data":{"b/d":"3"}})"), 422, 0},
             {"create another", create("n"), 201, 1},
             {"delete", remove("n"), 200, 1},
             {"delete what is gone", remove("n"), 404, 0},
             {"add a finalizer", merge(R"({"metadata":{"finalizers":["example.com/x"]}})"), 200, 1},
             {"mark for deletion", remove("m"), 200, 1},
             {"mark again", remove("m"), 200, 0},
             {"take the finalizer away", merge(R"({"metadata":{"finalizers":null}})"), 200, 1},
             {"it is gone", remove("m"), 404, 0},
         }) {
      const std::int64_t before = world.revision();
      EXPECT_EQ(c.verb(world), c.code) << c.name;
      EXPECT_EQ(world.revision() - before, c.revisions) << c.name;
    }
    for (const char* name : {"x", "y", "z"}) create(name)(world);
    const std::int64_t before = world.revision();
    api::Request all = world.Request(api::Verb::kDeleteCollection, "configmaps", "default", "");
    EXPECT_EQ(world.Do(all).code, 200);
    EXPECT_EQ(world.revision() - before, 3) << "one for each key";
  }
}

// API-06
// API-23
TEST(Create, AnExistingNameIsAConflictAndWritesNothing) {
  World world;
  ASSERT_EQ(world.Create("configmaps", "default", ConfigMap("default", "m")).code, 201);
  const std::int64_t before = world.revision();
  const api::Response r = world.Create("configmaps", "default", ConfigMap("default", "m"));
  EXPECT_EQ(r.code, 409);
  EXPECT_EQ(r.status.reason, "AlreadyExists");
  EXPECT_EQ(r.status.message, "configmaps \"m\" already exists");
  EXPECT_EQ(r.status.details->kind, "configmaps");
  EXPECT_EQ(world.revision(), before);
}

// API-67
TEST(Create, SaysThatTheExistingObjectIsBeingDeleted) {
  World world;
  ASSERT_EQ(world
                .Create("configmaps", "default",
                        ConfigMap("default", "m")
                            .Set(Path{"metadata", "finalizers"}, Json(R"(["example.com/x"])")))
                .code,
            201);
  ASSERT_EQ(world.Delete("configmaps", "default", "m").code, 200);
  const api::Response r = world.Create("configmaps", "default", ConfigMap("default", "m"));
  EXPECT_EQ(r.code, 409);
  EXPECT_EQ(r.status.message, "object is being deleted: configmaps \"m\" already exists");
}

// API-06
TEST(Create, AResourceVersionIsRefusedUnlessZero) {
  World world;
  const Path kVersion{"metadata", "resourceVersion"};
  const api::Response r = world.Create("configmaps", "default",
                                       ConfigMap("default", "m").Set(kVersion, Value::Of("7")));
  EXPECT_EQ(r.code, 500);
  EXPECT_EQ(r.status.reason, "");
  EXPECT_EQ(
      world.Create("configmaps", "default", ConfigMap("default", "n").Set(kVersion, Value::Of("0")))
          .code,
      201);
}

// API-74
TEST(Create, ADryRunShowsWhatWouldBeAndStoresNothing) {
  World world;
  const std::int64_t before = world.revision();
  api::Request request = world.Request(api::Verb::kCreate, "pods", "default", "");
  request.dry_run = true;
  request.body = Pod("default", "p");
  api::Response r = world.Do(request);
  EXPECT_EQ(r.code, 201);
  EXPECT_EQ(r.object.resource_version(), 0);
  EXPECT_EQ(r.object.status().Get("phase").AsString(), "Pending");
  EXPECT_EQ(world.revision(), before);
  EXPECT_EQ(world.Get("pods", "default", "p").code, 404);
  ASSERT_EQ(world.Create("pods", "default", Pod("default", "p")).code, 201);
  r = world.Do(request);
  EXPECT_EQ(r.code, 409);
  request.body = Pod("default", "q").Set(Path{"metadata", "resourceVersion"}, Value::Of("7"));
  r = world.Do(request);
  EXPECT_EQ(r.code, 201);
  EXPECT_EQ(r.object.resource_version(), 7);
}

// API-03
// API-14
// API-15
TEST(Create, StoresTheTreeWithoutItsVersionUnderItsKey) {
  World world;
  const api::Response pod = world.Create("pods", "default", Pod("default", "p"));
  const api::Response node = world.Create(
      "nodes", "", Json(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}})"));
  ASSERT_EQ(node.code, 201) << node.status.message;
  const auto stored = [&](const char* key) {
    const auto range = world.store().Range(store::RangeRequest(key));
    EXPECT_TRUE(range.ok() && range->kvs.size() == 1) << key;
    return range->kvs.empty() ? Value() : range->kvs[0].value();
  };
  EXPECT_EQ(stored("/registry/pods/default/p"), pod.object.tree());
  EXPECT_FALSE(stored("/registry/pods/default/p").Get("metadata").Has("resourceVersion"));
  EXPECT_EQ(stored("/registry/minions/n1"), node.object.tree());
}

// API-17
TEST(Create, EventsLiveForAnHour) {
  World world;
  const Value event = Json(R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},
    "involvedObject":{"kind":"Pod","namespace":"default","name":"p"},"reason":"Started",
    "type":"Normal"})");
  ASSERT_EQ(world.Create("events", "default", event).code, 201);
  api::ListOptions options;
  options.timeout_seconds = 7200;
  auto watch = world.Watch("events", "default", options);
  world.Advance(Minutes(59));
  EXPECT_EQ(world.Get("events", "default", "e").code, 200);
  world.Advance(Minutes(2));
  EXPECT_EQ(world.Get("events", "default", "e").code, 404);
  ASSERT_EQ(watch->seen.size(), 2u);
  EXPECT_EQ(watch->seen[0].event.type, api::WatchEventType::kAdded);
  EXPECT_EQ(watch->seen[1].event.type, api::WatchEventType::kDeleted);
  EXPECT_GT(watch->last().object.resource_version(),
            watch->seen[0].event.object.resource_version());
}

// API-15
TEST(Create, EventsOfBothGroupsAreOne) {
  World world;
  api::Request request = world.Request(api::Verb::kCreate, "events", "default", "");
  request.resource = world.kinds.ByResource("events.k8s.io", "events");
  request.body = Json(R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"e"},
    "regarding":{"kind":"Pod","namespace":"default","name":"p"},"note":"hello","reason":"R",
    "action":"A","type":"Normal","eventTime":"2025-01-01T00:00:00.000000Z",
    "reportingController":"me","reportingInstance":"me-0"})");
  const api::Response made = world.Do(request);
  ASSERT_EQ(made.code, 201) << made.status.message;
  EXPECT_EQ(made.object.tree().Get("note").AsString(), "hello");
  const api::Object core = world.Get("events", "default", "e").object;
  EXPECT_EQ(core.api_version(), "v1");
  EXPECT_EQ(core.tree().Get("message").AsString(), "hello");
  EXPECT_EQ(core.tree().Get("reportingComponent").AsString(), "me");
  EXPECT_EQ(core.Get(Path{"involvedObject", "name"}).AsString(), "p");
  EXPECT_EQ(core.resource_version(), made.object.resource_version());
  api::ListOptions options;
  options.field_selector = "involvedObject.name=p,reason=R";
  EXPECT_EQ(Names(world.List("events", "default", options)), std::vector<std::string>{"e"});
  request.verb = api::Verb::kList;
  request.list.field_selector = "regarding.name=p,reportingController=me";
  const api::Response list = world.Do(request);
  ASSERT_EQ(list.items.size(), 1u) << list.status.message;
  EXPECT_EQ(list.items[0].tree(), made.object.tree());
}

}  // namespace
}  // namespace ksim::apiserver
