#include "tests/store/store_fixture.h"

namespace ksim::store {
namespace {

using Revisions = StoreTest;

// STORE-01
TEST_F(Revisions, FreshStoreIsAtOneAndNeverCompacted) {
  EXPECT_EQ(store.revision(), 1);
  EXPECT_EQ(store.compact_revision(), -1);
  EXPECT_EQ(Put("a"), 2);
}

// STORE-02
TEST_F(Revisions, OneStepForEachWriteWhateverItsSize) {
  for (const char* key : {"a", "b", "c"}) Put(key);
  EXPECT_EQ(store.revision(), 4);
  EXPECT_EQ(Delete("a", "c"), 5);
  TxnRequest txn;
  txn.success = {PutRequest("x", Bytes("1")), PutRequest("y", Bytes("1")), DeleteRangeRequest("c")};
  EXPECT_EQ(store.Txn(txn)->header.revision, 6);
  Grant(7, 10);
  Put("l1", "v", 7);
  Put("l2", "v", 7);
  Advance(Seconds(10));
  EXPECT_EQ(store.revision(), 9);
}

// STORE-03
TEST_F(Revisions, StandsStillWhereNothingChanges) {
  Put("a");
  EXPECT_EQ(Delete("nothing"), 2);
  EXPECT_EQ(store.Txn(TxnRequest())->header.revision, 2);
  TxnRequest reads;
  reads.success = {RangeRequest("a"), DeleteRangeRequest("nothing")};
  EXPECT_EQ(store.Txn(reads)->header.revision, 2);
  EXPECT_FALSE(store.Put(PutRequest("", Bytes("x"))).ok());
  Grant(7, 10);
  store.LeaseKeepAlive(LeaseKeepAliveRequest(7), now);
  EXPECT_TRUE(store.LeaseRevoke(LeaseRevokeRequest(7, WriteOrigin())).ok());
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest("a", "", 0));
  stream->Cancel(0);
  EXPECT_EQ(Compact(2), "ok");
  EXPECT_EQ(store.revision(), 2);
}

// STORE-04
TEST_F(Revisions, EqualPutsAreStillPuts) {
  Put("a", "same");
  Put("a", "same");
  EXPECT_EQ(Put("a", "same"), 4);
  EXPECT_EQ(Get("a"), "a=same c2 m4 v3");
}

// STORE-05
TEST_F(Revisions, ChangesOfATxnShareTheRevisionAndCountSubs) {
  Put("d");
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest(kAll, kAll, 0));
  TxnRequest txn;
  txn.success = {PutRequest("b", Bytes("1")), DeleteRangeRequest("d"), PutRequest("a", Bytes("1"))};
  ASSERT_TRUE(store.Txn(txn).ok());
  (void)stream->Next();
  const std::optional<WatchResponse> r = stream->Next();
  ASSERT_TRUE(r && r->events.size() == 3);
  EXPECT_EQ(Show(*r), "w0 @3: b=1 c3 m3 v1, d deleted m3, a=1 c3 m3 v1");
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(r->events[i].kv.sub(), i);
}

// STORE-06, STORE-07
TEST_F(Revisions, ADeleteEndsTheGeneration) {
  Put("a", "1");
  Put("b");
  Put("a", "2");
  EXPECT_EQ(Get("a"), "a=2 c2 m4 v2");
  Delete("a");
  Put("a", "3");
  EXPECT_EQ(Get("a"), "a=3 c6 m6 v1");
  Delete("a");
  Compact(7);
  Put("a", "4");
  EXPECT_EQ(Get("a"), "a=4 c8 m8 v1");
}

// STORE-08
TEST_F(Revisions, CompactionLeavesVersionsAlone) {
  for (int i = 0; i < 3; ++i) Put("a");
  Compact(4);
  EXPECT_EQ(Get("a"), "a=v c2 m4 v3");
  Put("a");
  EXPECT_EQ(Get("a"), "a=v c2 m5 v4");
}

// STORE-09, STORE-10
TEST_F(Revisions, HeadersCarryTheCurrentRevision) {
  Put("a");
  Put("a");
  Put("a");
  RangeRequest past("a");
  past.revision = 2;
  EXPECT_EQ(store.Range(past)->header.revision, 4);
  EXPECT_EQ(store.DeleteRange(DeleteRangeRequest("x"))->header.revision, 4);
  EXPECT_EQ(store.LeaseGrant(LeaseGrantRequest(1, 5), now)->header.revision, 4);
  EXPECT_EQ(store.Compact(CompactRequest(3, WriteOrigin()))->header.revision, 4);
}

}  // namespace
}  // namespace ksim::store
