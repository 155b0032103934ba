#include <algorithm>

#include "tests/store/store_fixture.h"

namespace ksim::store {
namespace {

using Lines = std::vector<std::string>;

class WatchTest : public StoreTest {
 protected:
  // A stream with one watch, caught up; the created response is taken.
  std::unique_ptr<WatchStream> Open(const WatchRequest& r) {
    auto stream = store.NewWatchStream();
    stream->Watch(r);
    return stream;
  }
  std::unique_ptr<WatchStream> OpenSynced(const WatchRequest& r) {
    auto stream = Open(r);
    (void)stream->Next();
    while (store.SyncWatchers() > 0) {
    }
    return stream;
  }
};

// STORE-63, STORE-64
TEST_F(WatchTest, FromNowOn) {
  Put("a", "old");
  const auto now_on = Open(WatchRequest("a", "", 0));
  const auto next = Open(WatchRequest("a", "", 3));
  Put("a", "new");
  const Lines expect{"w0 @2 created", "w0 @3: a=new c2 m3 v2"};
  EXPECT_EQ(Drain(*now_on), expect);
  EXPECT_EQ(Drain(*next), expect);
}

// STORE-65
TEST_F(WatchTest, FromThePastWithoutGapOrRepeat) {
  for (int i = 0; i < 5; ++i) Put("a", fmt::format("{}", i));
  const auto stream = Open(WatchRequest("a", "", 4));
  Put("a", "5");
  store.SyncWatchers();
  Put("a", "6");
  EXPECT_EQ(Drain(*stream),
            (Lines{"w0 @6 created", "w0 @7: a=2 c2 m4 v3, a=3 c2 m5 v4, a=4 c2 m6 v5, a=5 c2 m7 v6",
                   "w0 @8: a=6 c2 m8 v7"}));
}

// STORE-66
TEST_F(WatchTest, FromTheFuture) {
  const auto stream = OpenSynced(WatchRequest("a", "", 5));
  EXPECT_EQ(store.unsynced_watchers(), 0u);
  Put("a");
  Put("a");
  Compact(3);
  Put("b");
  stream->RequestProgress();
  EXPECT_EQ(Drain(*stream), Lines{});
  Put("a");
  stream->RequestProgress();
  EXPECT_EQ(Drain(*stream), (Lines{"w0 @5: a=v c2 m5 v3", "w-1 @5 progress"}));
}

// STORE-67
TEST_F(WatchTest, FromACompactedRevision) {
  for (int i = 0; i < 5; ++i) Put("a");
  Compact(4);
  const auto stream = Open(WatchRequest("a", "", 3));
  const auto at_floor = Open(WatchRequest("a", "", 4));
  store.SyncWatchers();
  Put("a");
  EXPECT_EQ(Drain(*stream), (Lines{"w0 @6 created", "w0 @0 canceled compacted 4"}));
  EXPECT_EQ(Drain(*at_floor).size(), 3u);
}

// STORE-68, STORE-79
TEST_F(WatchTest, CompactedWhileCatchingUp) {
  for (int i = 0; i < 5; ++i) Put("a");
  const auto behind = Open(WatchRequest("a", "", 3));
  const auto synced = OpenSynced(WatchRequest("b", "", 0));
  Put("a");
  const auto late = Open(WatchRequest("a", "", 4));
  Compact(6);
  store.SyncWatchers();
  EXPECT_EQ(Drain(*late), (Lines{"w0 @7 created", "w0 @0 canceled compacted 6"}));
  EXPECT_EQ(Drain(*behind),
            (Lines{"w0 @6 created", "w0 @6: a=v c2 m3 v2, a=v c2 m4 v3, a=v c2 m5 v4, a=v c2 m6 v5",
                   "w0 @7: a=v c2 m7 v6"}))
      << "it was synced before";
  Put("b");
  EXPECT_EQ(Drain(*synced), Lines{"w0 @8: b=v c8 m8 v1"});
}

// STORE-69, STORE-70, STORE-83
TEST_F(WatchTest, RefusedAtOnce) {
  Put("a");
  const auto stream = store.NewWatchStream();
  EXPECT_EQ(stream->Watch(WatchRequest("a", "", -1)), kInvalidWatchId);
  EXPECT_EQ(stream->Watch(WatchRequest("b", "a", 0)), kInvalidWatchId);
  EXPECT_EQ(stream->Watch(WatchRequest("a", "a", 0)), kInvalidWatchId);
  WatchRequest seven("a", "", 0);
  seven.watch_id = 7;
  EXPECT_EQ(stream->Watch(seven), 7);
  EXPECT_EQ(stream->Watch(seven), kInvalidWatchId);
  EXPECT_EQ(
      Drain(*stream),
      (Lines{"w-1 @2 created canceled: etcdserver: mvcc: required revision has been compacted",
             "w-1 @2 created canceled: mvcc: watcher range is empty",
             "w-1 @2 created canceled: mvcc: watcher range is empty", "w7 @2 created",
             "w-1 @2 created canceled: mvcc: duplicate watch ID provided on the WatchStream"}));
}

// STORE-70
TEST_F(WatchTest, AnEmptyKeyIsTheZeroByte) {
  const auto stream = OpenSynced(WatchRequest("", "", 0));
  Put("a");
  Put(kAll);
  EXPECT_EQ(Drain(*stream).size(), 1u);
}

// STORE-71, STORE-72
TEST_F(WatchTest, WhatEventsHold) {
  Grant(7, 100);
  const auto stream = OpenSynced(WatchRequest("a", "", 0));
  Put("a", "1", 7);
  Put("a", "2");
  Delete("a");
  const WatchEvent create = stream->Next()->events[0];
  const WatchEvent update = stream->Next()->events[0];
  const WatchEvent remove = stream->Next()->events[0];
  EXPECT_EQ(Show(create), "a=1 c2 m2 v1 l7");
  EXPECT_TRUE(create.is_create() && !create.is_delete());
  EXPECT_EQ(Show(update), "a=2 c2 m3 v2");
  EXPECT_TRUE(!update.is_create() && !update.is_delete());
  EXPECT_TRUE(!remove.is_create() && remove.is_delete());
  EXPECT_EQ(remove.kv.key(), "a");
  EXPECT_EQ(remove.kv.mod_revision(), 4);
  EXPECT_EQ(remove.kv.create_revision() + remove.kv.version() + remove.kv.lease(), 0);
  EXPECT_EQ(remove.kv.value().AsString(), "");
}

// STORE-73
TEST_F(WatchTest, PrevKv) {
  Put("a", "1");  // 2
  Put("a", "2");  // 3
  Delete("a");    // 4
  Put("a", "3");  // 5
  Put("a", "4");  // 6
  WatchRequest r("a", "", 2);
  r.prev_kv = true;
  EXPECT_EQ(Drain(*OpenSynced(r)), Lines{"w0 @6: a=1 c2 m2 v1, a=2 c2 m3 v2 (was a=1 c2 m2 v1), "
                                         "a deleted m4 (was a=2 c2 m3 v2), a=3 c5 m5 v1, "
                                         "a=4 c5 m6 v2 (was a=3 c5 m5 v1)"});
  Compact(3);
  r.start_revision = 3;
  EXPECT_EQ(Drain(*OpenSynced(r)),
            Lines{"w0 @6: a=2 c2 m3 v2, a deleted m4 (was a=2 c2 m3 v2), a=3 c5 m5 v1, "
                  "a=4 c5 m6 v2 (was a=3 c5 m5 v1)"});
}

// STORE-74
TEST_F(WatchTest, Filters) {
  WatchRequest no_put(kAll, kAll, 0), no_delete = no_put, neither = no_put;
  no_put.no_put = neither.no_put = true;
  no_delete.no_delete = neither.no_delete = true;
  const auto deletes = OpenSynced(no_put);
  const auto puts = OpenSynced(no_delete);
  const auto nothing = OpenSynced(neither);
  Put("a");
  TxnRequest txn;
  txn.success = {PutRequest("b", Bytes("v")), DeleteRangeRequest("a")};
  ASSERT_TRUE(store.Txn(txn).ok());
  EXPECT_EQ(Drain(*deletes), Lines{"w0 @3: a deleted m3"});
  EXPECT_EQ(Drain(*puts), (Lines{"w0 @2: a=v c2 m2 v1", "w0 @3: b=v c3 m3 v1"}));
  EXPECT_EQ(Drain(*nothing), Lines{});
  no_put.start_revision = neither.start_revision = 1;
  EXPECT_EQ(Drain(*OpenSynced(no_put)), Lines{"w0 @3: a deleted m3"});
  EXPECT_EQ(Drain(*OpenSynced(neither)), Lines{});
}

// STORE-75, STORE-76, STORE-77
TEST_F(WatchTest, CatchesUpThousandRevisionsAPass) {
  for (int i = 0; i < 1200; ++i) {
    TxnRequest txn;
    txn.success = {PutRequest("a", Bytes("v")), PutRequest("b", Bytes("v"))};
    ASSERT_TRUE(store.Txn(txn).ok());
    Put("elsewhere");
  }
  const auto stream = Open(WatchRequest("a", "c", 1));
  (void)stream->Next();
  EXPECT_EQ(store.SyncWatchers(), 1u);
  const std::optional<WatchResponse> first = stream->Next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->events.size(), 2000u);
  EXPECT_EQ(first->revision, store.revision());
  EXPECT_EQ(store.SyncWatchers(), 0u);
  const std::optional<WatchResponse> second = stream->Next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->events.size(), 400u);
  EXPECT_EQ(first->events.back().kv.mod_revision() + 2, second->events.front().kv.mod_revision());
  EXPECT_EQ(second->events.front().kv.key(), "a");
  EXPECT_FALSE(stream->Next());
}

// STORE-76
TEST_F(WatchTest, AtMost512WatchersAPass) {
  Put("a");
  std::vector<std::unique_ptr<WatchStream>> streams;
  for (int i = 0; i < 600; ++i) streams.push_back(Open(WatchRequest("a", "", 1)));
  EXPECT_EQ(store.SyncWatchers(), 88u);
  EXPECT_EQ(streams[511]->size(), 2u);
  EXPECT_EQ(streams[512]->size(), 1u);
  EXPECT_EQ(store.SyncWatchers(), 0u);
}

// STORE-80
TEST_F(WatchTest, ProgressOnlyWhenAllAreSynced) {
  const auto stream = store.NewWatchStream();
  stream->RequestProgress();
  EXPECT_EQ(stream->size(), 0u);
  Put("a");
  stream->Watch(WatchRequest("x", "", 0));
  stream->Watch(WatchRequest("y", "", 1));
  Drain(*stream);
  stream->RequestProgress();
  EXPECT_EQ(Drain(*stream), Lines{}) << "unsynced, though nothing matches";
  store.SyncWatchers();
  EXPECT_EQ(Drain(*stream), Lines{}) << "not answered later either";
  Put("x");
  stream->RequestProgress();
  EXPECT_EQ(Drain(*stream), (Lines{"w0 @3: x=v c3 m3 v1", "w-1 @3 progress"}));
}

// STORE-81
TEST_F(WatchTest, TicksTellIdleWatches) {
  WatchRequest r("a", "", 0);
  r.progress_notify = true;
  const auto stream = store.NewWatchStream();
  EXPECT_FALSE(stream->wants_ticks());
  stream->Watch(r);
  stream->Watch(WatchRequest("a", "", 0));
  EXPECT_TRUE(stream->wants_ticks());
  r.start_revision = 9;
  stream->Watch(r);
  Drain(*stream);
  stream->Tick();
  EXPECT_EQ(Drain(*stream), Lines{"w0 @1 progress"});
  Put("a");
  Put("b");
  Drain(*stream);
  stream->Tick();
  EXPECT_EQ(Drain(*stream), Lines{}) << "an event was sent since the last tick";
  stream->Tick();
  EXPECT_EQ(Drain(*stream), Lines{"w0 @3 progress"});
  stream->Cancel(0);
  stream->Cancel(2);
  EXPECT_FALSE(stream->wants_ticks());
}

// STORE-82
TEST_F(WatchTest, Cancel) {
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest("a", "", 0));
  Put("a");
  stream->Cancel(0);
  stream->Cancel(0);
  stream->Cancel(5);
  Put("a");
  EXPECT_EQ(Drain(*stream), (Lines{"w0 @1 created", "w0 @2: a=v c2 m2 v1", "w0 @2 canceled"}));
  Compact(3);
  stream->Watch(WatchRequest("a", "", 1));
  store.SyncWatchers();
  stream->Cancel(1);
  EXPECT_EQ(Drain(*stream),
            (Lines{"w1 @3 created", "w1 @0 canceled compacted 3", "w1 @3 canceled"}));
}

// STORE-83
TEST_F(WatchTest, IdsCountUpAndSkipThoseInUse) {
  const auto stream = store.NewWatchStream();
  WatchRequest one("a", "", 0);
  one.watch_id = 1;
  EXPECT_EQ(stream->Watch(WatchRequest("a", "", 0)), 0);
  EXPECT_EQ(stream->Watch(one), 1);
  EXPECT_EQ(stream->Watch(WatchRequest("a", "", 0)), 2);
  stream->Cancel(0);
  EXPECT_EQ(stream->Watch(WatchRequest("a", "", 0)), 3);
}

// STORE-84
TEST_F(WatchTest, FragmentsOfALargeResponse) {
  const std::string big(900'000, 'x');
  for (const char* key : {"a", "b", "c", "d", "e"}) Put(key, big);
  WatchRequest r(kAll, kAll, 1);
  const auto whole = OpenSynced(r);
  r.fragment = true;
  const auto parts = OpenSynced(r);
  EXPECT_EQ(whole->Next()->events.size(), 5u);
  EXPECT_FALSE(whole->Next());
  const std::vector<std::size_t> sizes{2, 2, 1};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::optional<WatchResponse> part = parts->Next();
    ASSERT_TRUE(part);
    EXPECT_EQ(part->events.size(), sizes[i]);
    EXPECT_EQ(part->fragment, i + 1 < sizes.size());
    EXPECT_EQ(part->revision, 6);
  }
  EXPECT_FALSE(parts->Next());
}

// STORE-95
TEST_F(WatchTest, WatchersAreServedInOrderOfCreation) {
  std::vector<int> served;
  std::vector<std::unique_ptr<WatchStream>> streams;
  const std::vector<std::pair<std::string, std::string>> ranges{
      {kAll, kAll}, {"a", ""}, {"a", "b"}, {"a", ""}, {"a", kAll}, {kAll, "z"}};
  for (int i = 0; i < static_cast<int>(ranges.size()); ++i) {
    streams.push_back(store.NewWatchStream([&served, i] { served.push_back(i); }));
    streams.back()->Watch(WatchRequest(ranges[static_cast<std::size_t>(i)].first,
                                       ranges[static_cast<std::size_t>(i)].second, 0));
  }
  const auto order_of = [&](auto write) {
    served.clear();
    write();
    return served;
  };
  const std::vector<int> all{0, 1, 2, 3, 4, 5};
  EXPECT_EQ(order_of([&] { Put("a"); }), all);
  EXPECT_EQ(order_of([&] {
              TxnRequest txn;
              txn.success = {PutRequest("b", Bytes("v")), PutRequest("a", Bytes("v"))};
              EXPECT_TRUE(store.Txn(txn).ok());
            }),
            all);
  streams[0].reset();
  EXPECT_EQ(order_of([&] { Put("a"); }), (std::vector<int>{1, 2, 3, 4, 5}));
}

// STORE-85
TEST_F(WatchTest, EventsAreQueuedWhenTheWriteReturns) {
  Revision seen_at = 0;
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest("a", "", 0));
  Drain(*stream);
  seen_at = Put("a");
  EXPECT_EQ(stream->Next()->events[0].kv.mod_revision(), seen_at);
}

}  // namespace
}  // namespace ksim::store
