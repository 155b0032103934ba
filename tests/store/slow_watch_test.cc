// Watch streams whose client does not keep up.
#include "tests/store/store_fixture.h"

namespace ksim::store {
namespace {

class SlowWatch : public StoreTest {
 protected:
  // Event revisions in the order of delivery, with passes and retries until all is delivered.
  std::vector<Revision> DeliverAll(WatchStream& stream) {
    std::vector<Revision> revisions;
    for (int round = 0; round < 1000; ++round) {
      while (std::optional<WatchResponse> r = stream.Next()) {
        for (const WatchEvent& e : r->events) revisions.push_back(e.kv.mod_revision());
      }
      store.RetryVictims();
      store.SyncWatchers();
      if (stream.size() == 0 && store.victim_watchers() + store.unsynced_watchers() == 0) break;
    }
    return revisions;
  }
  static std::vector<Revision> Count(Revision first, Revision last) {
    std::vector<Revision> revisions;
    for (Revision r = first; r <= last; ++r) revisions.push_back(r);
    return revisions;
  }
};

// STORE-78
TEST_F(SlowWatch, AFullStreamLosesNothing) {
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest("a", "", 0));
  (void)stream->Next();
  for (int i = 0; i < 300; ++i) Put("a");
  EXPECT_EQ(stream->size(), kWatchStreamBuffer);
  EXPECT_EQ(store.victim_watchers(), 1u);
  store.RetryVictims();
  EXPECT_EQ(store.victim_watchers(), 1u) << "still full";
  EXPECT_EQ(DeliverAll(*stream), Count(2, 301));
}

// STORE-78
TEST_F(SlowWatch, TheBufferIsSharedByTheStream) {
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest("a", "", 0));
  stream->Watch(WatchRequest("b", "", 0));
  for (std::size_t i = 0; i < kWatchStreamBuffer; ++i) Put("a");
  Put("b");
  EXPECT_EQ(store.victim_watchers(), 1u);
  EXPECT_EQ(DeliverAll(*stream), Count(2, 130));
}

// STORE-77, STORE-78
TEST_F(SlowWatch, ARetriedBatchCarriesTheRevisionReached) {
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest("a", "", 0));
  for (std::size_t i = 0; i < kWatchStreamBuffer + 1; ++i) Put("a");
  Put("other");
  Drain(*stream);
  store.RetryVictims();
  EXPECT_EQ(Drain(*stream), std::vector<std::string>{"w0 @130: a=v c2 m130 v129"});
  EXPECT_EQ(store.unsynced_watchers(), 1u) << "it missed a revision meanwhile";
  store.SyncWatchers();
  EXPECT_EQ(store.unsynced_watchers(), 0u);
}

// STORE-79
TEST_F(SlowWatch, CompactionDeliversThePendingBatchFirst) {
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest("a", "", 0));
  for (std::size_t i = 0; i < kWatchStreamBuffer + 10; ++i) Put("a");
  ASSERT_EQ(Compact(store.revision()), "ok");
  store.SyncWatchers();
  EXPECT_EQ(store.victim_watchers(), 1u);
  Drain(*stream);
  store.RetryVictims();
  store.SyncWatchers();
  EXPECT_EQ(Drain(*stream), (std::vector<std::string>{"w0 @130: a=v c2 m130 v129",
                                                      "w0 @0 canceled compacted 139"}));
}

// STORE-79
TEST_F(SlowWatch, ACancelThatFindsTheStreamFullIsRetried) {
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest("a", "", 0));
  for (std::size_t i = 0; i < kWatchStreamBuffer; ++i) Put("a");
  stream->Watch(WatchRequest("b", "", 2));
  Put("b");
  ASSERT_EQ(Compact(store.revision()), "ok");
  EXPECT_EQ(store.SyncWatchers(), 1u);
  EXPECT_EQ(store.SyncWatchers(), 1u);
  Drain(*stream);
  EXPECT_EQ(store.SyncWatchers(), 0u);
  EXPECT_EQ(Drain(*stream), std::vector<std::string>{"w1 @0 canceled compacted 130"});
}

// STORE-80
TEST_F(SlowWatch, AFullStreamDropsTheProgressAnswer) {
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest("a", "", 0));
  for (std::size_t i = 0; i < kWatchStreamBuffer; ++i) Put("a");
  stream->RequestProgress();
  EXPECT_EQ(stream->size(), kWatchStreamBuffer + 1) << "with the created response";
  stream->Watch(WatchRequest("a", "", 0));
  EXPECT_EQ(stream->size(), kWatchStreamBuffer + 2) << "answers to requests always fit";
}

// STORE-78
TEST_F(SlowWatch, ARetryGoesOnUntilTheStreamIsFullAgain) {
  const auto stream = store.NewWatchStream();
  for (std::size_t i = 0; i < 3 * kWatchStreamBuffer; ++i) stream->Watch(WatchRequest("a", "", 0));
  Drain(*stream);
  Put("a");
  EXPECT_EQ(store.victim_watchers(), 2 * kWatchStreamBuffer);
  (void)stream->Next();
  (void)stream->Next();
  store.RetryVictims();
  EXPECT_EQ(store.victim_watchers(), 2 * kWatchStreamBuffer - 2);
  EXPECT_EQ(stream->size(), kWatchStreamBuffer);
  EXPECT_EQ(DeliverAll(*stream), std::vector<Revision>(3 * kWatchStreamBuffer - 2, 2));
}

// STORE-78
TEST_F(SlowWatch, VictimsThatEndAreForgotten) {
  auto stream = store.NewWatchStream();
  const WatchId first = stream->Watch(WatchRequest("a", "", 0));
  stream->Watch(WatchRequest("a", "", 0));
  for (std::size_t i = 0; i < kWatchStreamBuffer; ++i) Put("a");
  ASSERT_EQ(store.victim_watchers(), 2u);
  stream->Cancel(first);
  EXPECT_EQ(store.victim_watchers(), 1u);
  Drain(*stream);
  stream.reset();
  EXPECT_EQ(store.victim_watchers(), 0u);
  store.RetryVictims();
}

TEST_F(SlowWatch, AStreamThatFellBehindKeepsItsPlace) {
  std::string order;
  const auto open = [&](char name) {
    auto stream = store.NewWatchStream([&order, name] { order += name; });
    stream->Watch(WatchRequest("a", "", 0));
    return stream;
  };
  const auto slow = open('s'), quick = open('q');
  for (std::size_t i = 0; i < kWatchStreamBuffer + 1; ++i) {
    Put("a");
    Drain(*quick);
  }
  Drain(*slow);
  store.RetryVictims();
  order.clear();
  Put("a");
  EXPECT_EQ(order, "sq");
}

// STORE-73
TEST_F(SlowWatch, APreviousVersionCompactedBeforeItIsSentIsNotTold) {
  const auto stream = store.NewWatchStream();
  WatchRequest r("a", "", 0);
  r.prev_kv = true;
  stream->Watch(r);
  for (int i = 0; i < 3; ++i) Put("a");
  ASSERT_EQ(Compact(3), "ok");
  EXPECT_EQ(Drain(*stream),
            (std::vector<std::string>{"w0 @1 created", "w0 @2: a=v c2 m2 v1", "w0 @3: a=v c2 m3 v2",
                                      "w0 @4: a=v c2 m4 v3 (was a=v c2 m3 v2)"}));
}

// etcd's TestWatchVictims: many streams, each of which is read now and then.
// STORE-78
TEST_F(SlowWatch, ManyVictimsAllGetEverythingInOrder) {
  std::vector<std::unique_ptr<WatchStream>> streams;
  std::vector<std::vector<Revision>> got(64);
  for (std::size_t i = 0; i < got.size(); ++i) {
    streams.push_back(store.NewWatchStream());
    streams[i]->Watch(WatchRequest("a", "b", 0));
  }
  for (int i = 0; i < 400; ++i) {
    Put(i % 3 == 0 ? "aa" : "ab");
    const std::size_t reader = static_cast<std::size_t>(i * 7) % got.size();
    while (std::optional<WatchResponse> r = streams[reader]->Next()) {
      for (const WatchEvent& e : r->events) got[reader].push_back(e.kv.mod_revision());
    }
    if (i % 11 == 0) store.RetryVictims();
    if (i % 23 == 0) store.SyncWatchers();
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::vector<Revision> rest = DeliverAll(*streams[i]);
    got[i].insert(got[i].end(), rest.begin(), rest.end());
  }
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], Count(2, 401)) << i;
}

}  // namespace
}  // namespace ksim::store
