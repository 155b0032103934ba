#include <array>

#include "ksim/store/key_index.h"
#include "tests/store/store_fixture.h"

namespace ksim::store {
namespace {

using Compaction = StoreTest;

constexpr char kCompacted[] = "11 etcdserver: mvcc: required revision has been compacted";
constexpr char kFuture[] = "11 etcdserver: mvcc: required revision is a future revision";

// STORE-56
TEST_F(Compaction, OnlyForwardAndNotIntoTheFuture) {
  for (int i = 0; i < 4; ++i) Put("a");
  EXPECT_EQ(Compact(6), kFuture);
  EXPECT_EQ(store.Compact(CompactRequest(3, WriteOrigin()))->header.revision, 5);
  EXPECT_EQ(Compact(3), kCompacted);
  EXPECT_EQ(Compact(2), kCompacted);
  EXPECT_EQ(Compact(5), "ok");
  EXPECT_EQ(store.compact_revision(), 5);
}

// STORE-57
TEST_F(Compaction, OfAFreshStore) {
  EXPECT_EQ(Compact(-1), kCompacted);
  EXPECT_EQ(Compact(0), "ok");
  EXPECT_EQ(Compact(0), kCompacted);
  EXPECT_EQ(Compact(1), "ok");
  EXPECT_EQ(Compact(2), kFuture);
}

// STORE-58, STORE-60
TEST_F(Compaction, ReadsFromThereOnAreAsBefore) {
  Put("a", "1");
  Put("b", "1");
  Put("a", "2");
  Delete("b");
  Put("a", "3");
  Put("b", "2");
  std::array<std::string, 8> before;
  for (Revision r = 1; r <= 7; ++r) before[static_cast<std::size_t>(r)] = State(r);
  for (Revision floor = 1; floor <= 7; ++floor) {
    ASSERT_EQ(Compact(floor), "ok");
    for (Revision r = 1; r <= 7; ++r) {
      EXPECT_EQ(State(r), r < floor ? kCompacted : before[static_cast<std::size_t>(r)])
          << r << " after compaction at " << floor;
    }
  }
}

// STORE-59
TEST_F(Compaction, ADeleteAtTheRevisionIsStillWatched) {
  Put("a");
  Put("b");
  Delete("a");
  ASSERT_EQ(Compact(4), "ok");
  Put("c");
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest(kAll, kAll, 4));
  store.SyncWatchers();
  EXPECT_EQ(Drain(*stream),
            (std::vector<std::string>{"w0 @5 created", "w0 @5: a deleted m4, c=v c5 m5 v1"}));
  EXPECT_NE(store.mvcc().index().Find("a"), nullptr);
  ASSERT_EQ(Compact(5), "ok");
  EXPECT_EQ(store.mvcc().index().Find("a"), nullptr);
}

// STORE-61
TEST_F(Compaction, HistoryIsOneVersionForEachLiveKey) {
  for (int i = 0; i < 50; ++i) {
    Put("a");
    Put("b");
    if (i % 5 == 0) Delete("b");
  }
  Put("gone");
  Delete("gone");
  Delete("b");
  ASSERT_EQ(Compact(store.revision()), "ok");
  EXPECT_EQ(store.mvcc().index().size(), 2u);
  EXPECT_EQ(store.mvcc().index().Find("a")->size(), 1u);
  EXPECT_EQ(store.mvcc().index().Find("b")->size(), 1u);
  EXPECT_EQ(store.mvcc().log().size(), 1u);
  Put("c");
  ASSERT_EQ(Compact(store.revision()), "ok");
  EXPECT_EQ(store.mvcc().index().size(), 2u);
  EXPECT_EQ(store.mvcc().index().Find("b"), nullptr);
}

// A put and a delete of one key in the revision compacted to: only the delete survives.
TEST_F(Compaction, KeepsTheLastChangeOfAKeyInItsRevision) {
  TxnRequest put, del, txn;
  put.success = {PutRequest("k", Bytes("1"))};
  del.success = {DeleteRangeRequest("k")};
  txn.success = {put, del};
  ASSERT_TRUE(store.Txn(txn).ok());
  ASSERT_EQ(Compact(2), "ok");
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest("k", "", 2));
  store.SyncWatchers();
  EXPECT_EQ(Drain(*stream), (std::vector<std::string>{"w0 @2 created", "w0 @2: k deleted m2"}));
}

KeyHistory SampleHistory() {
  KeyHistory history{Key("k")};
  const auto add = [&](Revision revision, std::uint32_t sub, Revision created, int version) {
    KeyValue::Fields fields;
    fields.create_revision = created;
    fields.mod_revision = revision;
    fields.version = version;
    fields.sub = sub;
    history.Add(KeyValue(Key("k"), Bytes("v"), fields));
  };
  add(2, 0, 2, 1);
  add(4, 0, 2, 2);
  history.Add(KeyValue::Tombstone(Key("k"), 6, 0));
  add(8, 0, 8, 1);
  add(10, 0, 8, 2);
  history.Add(KeyValue::Tombstone(Key("k"), 12, 0));
  add(14, 0, 14, 1);
  add(15, 1, 14, 2);
  history.Add(KeyValue::Tombstone(Key("k"), 16, 0));
  return history;
}

// STORE-62
TEST(KeyHistory, WhatCompactionKeeps) {
  // The index is the compaction revision; 0 means that the store keeps nothing at or below it.
  constexpr std::array<Revision, 17> kKept{0, 0, 2, 2, 4, 4, 6, 0, 8, 8, 10, 10, 12, 0, 14, 15, 16};
  for (Revision floor = 1; floor <= 16; ++floor) {
    KeyHistory history = SampleHistory();
    const bool gone = history.Compact(floor, false);
    EXPECT_FALSE(gone);
    const Revision kept = kKept[static_cast<std::size_t>(floor)];
    std::size_t above = 0;
    for (Revision r : {2, 4, 6, 8, 10, 12, 14, 15, 16}) above += r > floor ? 1 : 0;
    EXPECT_EQ(history.size(), above + (kept == 0 ? 0 : 1)) << floor;
    const KeyValue* seen = history.At(floor);
    const bool tombstone = kept == 6 || kept == 12 || kept == 16;
    EXPECT_EQ(seen == nullptr, kept == 0 || tombstone) << floor;
    EXPECT_EQ(seen == nullptr ? 0 : seen->mod_revision(), tombstone ? 0 : kept) << floor;
  }
  KeyHistory history = SampleHistory();
  EXPECT_TRUE(history.Compact(17, false));
}

// STORE-62
TEST(KeyHistory, CompactingStepByStepComesToTheSame) {
  KeyHistory stepwise = SampleHistory();
  for (Revision floor = 1; floor <= 16; ++floor) {
    stepwise.Compact(floor, false);
    KeyHistory at_once = SampleHistory();
    at_once.Compact(floor, false);
    EXPECT_EQ(stepwise.size(), at_once.size()) << floor;
  }
}

// etcd 3.4.23 drops the delete in this script: put a, put b, delete a at 4, compact at 4, watch
// from 4, put c.
TEST_F(Compaction, TheVariantDropsADeleteAtItsRevision) {
  for (const bool drops : {false, true}) {
    Store other;
    other.SetCompactionDropsDelete(drops);
    for (const char* key : {"a", "b"}) ASSERT_TRUE(other.Put(PutRequest(key, Bytes("v"))).ok());
    ASSERT_TRUE(other.DeleteRange(DeleteRangeRequest("a")).ok());
    ASSERT_TRUE(other.Compact(CompactRequest(4, WriteOrigin())).ok());
    const auto stream = other.NewWatchStream();
    stream->Watch(WatchRequest(kAll, kAll, 4));
    other.SyncWatchers();
    ASSERT_TRUE(other.Put(PutRequest("c", Bytes("v"))).ok());
    std::string events;
    while (const std::optional<WatchResponse> r = stream->Next())
      for (const WatchEvent& e : r->events) events += Show(e) + "; ";
    EXPECT_EQ(events, drops ? "c=v c5 m5 v1; " : "a deleted m4; c=v c5 m5 v1; ");
  }
}

}  // namespace
}  // namespace ksim::store
