// Storage's update and delete loops, with callbacks that record the objects that they get.
#include "ksim/apiserver/etcd3/storage.h"

#include <gtest/gtest.h>

#include "ksim/apiserver/etcd3/storage_watch.h"
#include "ksim/sim/process.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

const Path kDataK{"data", "k"};

class StorageTest : public ::testing::Test {
 protected:
  StorageTest()
      : process(world.sim.AddProcess("storage")),
        client(world.network, "storage", world.etcd),
        leases(world.sim, client),
        storage(client, leases, world.Kind("configmaps"),
                apiserver::ProfileOf(api::Compat::k1_36)) {
    process.Start();
    first = world.Create("configmaps", "default", ConfigMap("default", "m", "1")).object;
  }
  // Changes the object directly in the store, as another client would.
  api::Object ChangeTo(std::string_view data) {
    const auto put = world.store().Put(store::PutRequest(
        "/registry/configmaps/default/m", first.tree().Set(kDataK, Value::Of(data))));
    EXPECT_TRUE(put.ok());
    return api::Object::FromTree(first.tree().Set(kDataK, Value::Of(data)), world.revision());
  }

  class Recording final : public Transform {
   public:
    api::Result<Value> Apply(const api::Object& existing) override {
      seen.emplace_back(existing.empty() ? "none" : existing.Get(kDataK).AsString());
      if (on_apply) on_apply();
      if (seen.back() == refuse) return api::BadRequest("refused " + seen.back());
      return existing.tree().Set(kDataK, Value::Of(result));
    }
    std::vector<std::string> seen;
    std::string refuse = "nothing", result = "new";
    std::function<void()> on_apply;
  };
  class RecordingCheck final : public DeletionCheck {
   public:
    api::Status Check(const api::Object& existing) override {
      seen.emplace_back(existing.Get(kDataK).AsString());
      if (on_check) on_check();
      return seen.back() == refuse ? api::BadRequest("refused") : api::Status();
    }
    std::vector<std::string> seen;
    std::string refuse = "nothing";
    std::function<void()> on_check;
  };

  using Outcome = std::optional<api::Result<api::Object>>;
  static sim::Task<void> RunUpdate(Storage& s, Transform& t, api::Object suggestion,
                                   bool missing_ok, std::string name, Outcome& out) {
    api::Result<api::Object> r = co_await s.GuaranteedUpdate(
        "default", name, Preconditions(), missing_ok, t, suggestion, WriteContext());
    out = std::move(r);
  }
  static sim::Task<void> RunDelete(Storage& s, DeletionCheck& c, api::Object suggestion,
                                   Preconditions p, Outcome& out) {
    api::Result<api::Object> r =
        co_await s.Delete("default", "m", p, &c, suggestion, WriteContext());
    out = std::move(r);
  }
  api::Result<api::Object> Update(Transform& t, api::Object suggestion, bool missing_ok = false,
                                  std::string name = "m") {
    Outcome out;
    process.Spawn(RunUpdate(storage, t, suggestion, missing_ok, name, out));
    world.RunUntil([&] { return out.has_value(); });
    return *out;
  }
  api::Result<api::Object> Delete(DeletionCheck& c, api::Object suggestion,
                                  Preconditions p = Preconditions()) {
    Outcome out;
    process.Spawn(RunDelete(storage, c, suggestion, p, out));
    world.RunUntil([&] { return out.has_value(); });
    return *out;
  }

  using Seen = std::vector<std::string>;
  World world;
  sim::Process& process;
  store::EtcdClient client;
  LeaseManager leases;
  Storage storage;
  api::Object first;
};

TEST_F(StorageTest, KeysAreThoseOfTheApi) {
  const api::Kinds kinds;
  for (const api::ResourceInfo* kind : kinds.all()) {
    const Storage of_kind(client, leases, *kind, apiserver::ProfileOf(api::Compat::k1_30));
    for (const std::string_view ns : {"", "default"}) {
      for (const std::string_view name : {"", "n", "web-1"})
        EXPECT_EQ(of_kind.Key(ns, name), api::StorageKey(*kind, ns, name));
    }
  }
}

// API-10
TEST_F(StorageTest, AFreshSuggestionSavesTheRead) {
  Recording t;
  const auto r = Update(t, first);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(t.seen, Seen{"1"});
  EXPECT_EQ(r->resource_version(), world.revision());
}

// API-09
// API-10
TEST_F(StorageTest, AStaleSuggestionIsReplacedByWhatIsStored) {
  ChangeTo("2");
  Recording t;
  ASSERT_TRUE(Update(t, first).ok());
  EXPECT_EQ(t.seen, (Seen{"1", "2"}));
}

// API-10
TEST_F(StorageTest, ARefusalOfAStaleStateIsNotFinal) {
  ChangeTo("2");
  Recording t;
  t.refuse = "1";
  ASSERT_TRUE(Update(t, first).ok());
  EXPECT_EQ(t.seen, (Seen{"1", "2"}));
}

// API-10
TEST_F(StorageTest, ARefusalOfAStateThatProvesCurrentIsNotRepeated) {
  Recording t;
  t.refuse = "1";
  const auto r = Update(t, first);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.status().message, "refused 1");
  EXPECT_EQ(t.seen, Seen{"1"});
}

// API-09
TEST_F(StorageTest, ALostRaceIsRunAgainOnTheNewest) {
  Recording t;
  int races = 0;
  t.on_apply = [&] {
    if (++races <= 3) ChangeTo("race" + std::to_string(races));
  };
  ASSERT_TRUE(Update(t, api::Object()).ok());
  EXPECT_EQ(t.seen, (Seen{"1", "race1", "race2", "race3"}));
}

// API-11
TEST_F(StorageTest, NoChangeIsComparedWithWhatIsStoredNow) {
  Recording t;
  t.result = "1";
  const std::int64_t before = world.revision();
  ASSERT_TRUE(Update(t, first).ok());
  EXPECT_EQ(world.revision(), before);
  ChangeTo("2");
  const auto r = Update(t, first);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(world.revision(), before + 2) << "equal to the stale copy only: it is written";
  EXPECT_EQ(r->Get(kDataK).AsString(), "1");
}

TEST_F(StorageTest, AMissingObjectCanBeMade) {
  Recording t;
  EXPECT_TRUE(api::IsNotFound(Update(t, api::Object(), false, "none").status()));
  t.result = "made";
  EXPECT_TRUE(Update(t, api::Object(), true, "none").ok());
  EXPECT_EQ(t.seen, Seen{"none"});
}

// API-12
TEST_F(StorageTest, ADeleteIsJudgedAgainAfterALostRace) {
  RecordingCheck check;
  check.on_check = [&] {
    if (check.seen.size() == 1) ChangeTo("2");
  };
  const auto r = Delete(check, api::Object());
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(check.seen, (Seen{"1", "2"}));
  EXPECT_EQ(r->Get(kDataK).AsString(), "2");
  EXPECT_EQ(r->resource_version(), world.revision());
}

// API-12
// API-10
TEST_F(StorageTest, AStaleCopyDoesNotFailADelete) {
  ChangeTo("2");
  RecordingCheck check;
  check.refuse = "1";
  EXPECT_TRUE(Delete(check, first).ok());
  EXPECT_EQ(check.seen, (Seen{"1", "2"}));
}

// API-12
TEST_F(StorageTest, OnlyTheStaleCopyPassing) {
  ChangeTo("2");
  RecordingCheck check;
  check.refuse = "2";
  EXPECT_FALSE(Delete(check, first).ok());
  EXPECT_EQ(world.Get("configmaps", "default", "m").code, 200);
}

// API-13
TEST_F(StorageTest, PreconditionsAreCheckedOnTheNewest) {
  const api::Object second = ChangeTo("2");
  RecordingCheck check;
  Preconditions p;
  p.resource_version = std::to_string(first.resource_version());
  const auto refused = Delete(check, first, p);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code, 409);
  EXPECT_NE(refused.status().message.find("Precondition failed: ResourceVersion in precondition"),
            std::string::npos);
  p.resource_version = std::to_string(second.resource_version());
  EXPECT_TRUE(Delete(check, first, p).ok());
}

TEST_F(StorageTest, AGoneObjectIsNotFoundBehindASuggestion) {
  ASSERT_TRUE(
      world.store().DeleteRange(store::DeleteRangeRequest("/registry/configmaps/default/m")).ok());
  RecordingCheck check;
  EXPECT_TRUE(api::IsNotFound(Delete(check, first).status()));
}

// WATCH-36: an update or deletion whose previous value is unknown fails the watch, since the server
// cannot evaluate selectors on that value.
TEST(CheckEvent, WithoutThePreviousValueOnlyACreationCanBeTold) {
  const store::Key key("/registry/events/default/e");
  const auto version = [&key](std::int64_t created, std::int64_t modified) {
    store::KeyValue::Fields fields;
    fields.create_revision = created;
    fields.mod_revision = modified;
    fields.version = modified - created + 1;
    return store::KeyValue(key, value::Value::EmptyObject(), fields);
  };
  const store::KeyValue gone = store::KeyValue::Tombstone(key, 9, 0);
  struct Row {
    const char* what;
    store::KeyValue now, before;
    const char* type;  // in the error; "" if there is none
  };
  const Row table[] = {
      {"a creation", version(7, 7), store::KeyValue(), ""},
      {"an update", version(7, 8), version(7, 7), ""},
      {"an update of what is not known", version(7, 8), store::KeyValue(), "PUT"},
      {"a deletion", gone, version(7, 8), ""},
      {"a deletion of what is not known", gone, store::KeyValue(), "DELETE"},
  };
  for (const Row& row : table) {
    const api::Status status = CheckEvent(store::WatchEvent(row.now, row.before, 0));
    EXPECT_EQ(status.ok(), row.type[0] == 0) << row.what;
    if (status.ok()) continue;
    EXPECT_EQ(status.code, 500) << row.what;
    EXPECT_NE(status.message.find(row.type), std::string::npos) << status.message;
  }
}

}  // namespace
}  // namespace ksim::apiserver
