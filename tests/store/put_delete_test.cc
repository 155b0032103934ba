#include "tests/store/store_fixture.h"

namespace ksim::store {
namespace {

// Every write runs twice: plain, and inside a transaction.
class PutDelete : public StoreTest, public testing::WithParamInterface<bool> {
 protected:
  absl::StatusOr<PutResponse> Do(const PutRequest& r) {
    if (!GetParam()) return store.Put(r);
    const absl::StatusOr<TxnResponse> response = InTxn(r);
    if (!response.ok()) return response.status();
    return response->responses.at(0).put();
  }
  absl::StatusOr<DeleteRangeResponse> Do(const DeleteRangeRequest& r) {
    if (!GetParam()) return store.DeleteRange(r);
    const absl::StatusOr<TxnResponse> response = InTxn(r);
    if (!response.ok()) return response.status();
    return response->responses.at(0).delete_range();
  }
  absl::StatusOr<TxnResponse> InTxn(RequestOp op) {
    TxnRequest txn;
    txn.success = {std::move(op)};
    return store.Txn(txn);
  }
  std::string KeysOfLease(LeaseId id) {
    std::string text;
    for (const std::string& key : store.LeaseTimeToLive(LeaseTimeToLiveRequest(id, true), now).keys)
      text += (text.empty() ? "" : " ") + key;
    return text;
  }
};
INSTANTIATE_TEST_SUITE_P(PlainAndInTxn, PutDelete, testing::Bool());

// STORE-28
TEST_P(PutDelete, PrevKvIsAllThereWasBefore) {
  Grant(7, 100);
  PutRequest r("a", Bytes("2"));
  r.prev_kv = true;
  EXPECT_EQ(Show(Do(r)->prev_kv), "none");
  Put("a", "3", 7);
  EXPECT_EQ(Show(Do(r)->prev_kv), "a=3 c2 m3 v2 l7");
  r.prev_kv = false;
  EXPECT_EQ(Show(Do(r)->prev_kv), "none");
}

// STORE-29
TEST_P(PutDelete, IgnoreValueKeepsTheValueAndTakesTheLease) {
  Grant(7, 100);
  Put("a", "kept", 7);
  PutRequest r("a", Bytes(""));
  r.ignore_value = true;
  EXPECT_EQ(Do(r)->header.revision, 3);
  EXPECT_EQ(Get("a"), "a=kept c2 m3 v2");
  EXPECT_EQ(KeysOfLease(7), "");
  r.value = Bytes("x");
  EXPECT_EQ(ErrorIn(Do(r)), "3 etcdserver: value is provided");
}

// STORE-30
TEST_P(PutDelete, IgnoreLeaseKeepsTheLease) {
  Grant(7, 100);
  Put("a", "1", 7);
  PutRequest r("a", Bytes("2"));
  r.ignore_lease = true;
  EXPECT_TRUE(Do(r).ok());
  EXPECT_EQ(Get("a"), "a=2 c2 m3 v2 l7");
  EXPECT_EQ(KeysOfLease(7), "a");
  r.lease = 7;
  EXPECT_EQ(ErrorIn(Do(r)), "3 etcdserver: lease is provided");
}

// STORE-31, STORE-32
TEST_P(PutDelete, WhatAPutNeeds) {
  PutRequest r("a", Bytes(""));
  r.ignore_value = true;
  EXPECT_EQ(ErrorIn(Do(r)), "3 etcdserver: key not found");
  r.lease = 404;
  EXPECT_EQ(ErrorIn(Do(r)), "5 etcdserver: requested lease not found");
  r.ignore_value = false;
  EXPECT_EQ(ErrorIn(Do(r)), "5 etcdserver: requested lease not found");
  EXPECT_EQ(State(), "");
  EXPECT_EQ(store.revision(), 1);
}

// STORE-13
TEST_P(PutDelete, EmptyKeysAreRefused) {
  EXPECT_EQ(ErrorIn(Do(PutRequest("", Bytes("x")))), "3 etcdserver: key is not provided");
  EXPECT_EQ(ErrorIn(Do(DeleteRangeRequest(""))), "3 etcdserver: key is not provided");
}

// STORE-33
TEST_P(PutDelete, AnEmptyValueIsAValue) {
  EXPECT_TRUE(Do(PutRequest("a", Bytes(""))).ok());
  EXPECT_EQ(Get("a"), "a= c2 m2 v1");
  EXPECT_TRUE(Do(PutRequest("b", value::Value())).ok());
  EXPECT_EQ(Get("b"), "b= c3 m3 v1");
}

// STORE-34, STORE-36
TEST_P(PutDelete, DeletesTheIntervalInKeyOrder) {
  for (const char* key : {"c", "a", "b", "d"}) Put(key);
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest(kAll, kAll, 0));
  Drain(*stream);
  DeleteRangeRequest r("a", "d");
  r.prev_kv = true;
  const DeleteRangeResponse response = *Do(r);
  EXPECT_EQ(response.deleted, 3);
  EXPECT_EQ(Show(response.prev_kvs), "a=v c3 m3 v1, b=v c4 m4 v1, c=v c2 m2 v1");
  EXPECT_EQ(response.header.revision, 6);
  EXPECT_EQ(Drain(*stream),
            std::vector<std::string>{"w0 @6: a deleted m6, b deleted m6, c deleted m6"});
  EXPECT_EQ(State(), "d=v c5 m5 v1");
}

// STORE-35, STORE-36
TEST_P(PutDelete, DeletingNothing) {
  Put("a");
  Put("b");
  EXPECT_TRUE(Do(DeleteRangeRequest("b"))->prev_kvs.empty());
  DeleteRangeRequest r("b");
  r.prev_kv = true;
  const DeleteRangeResponse response = *Do(r);
  EXPECT_EQ(response.deleted, 0);
  EXPECT_TRUE(response.prev_kvs.empty());
  EXPECT_EQ(response.header.revision, 4);
}

// STORE-37
TEST_P(PutDelete, ADeletedKeyLeavesItsLease) {
  Grant(7, 100);
  Put("a", "1", 7);
  EXPECT_EQ(Do(DeleteRangeRequest("a"))->deleted, 1);
  EXPECT_EQ(KeysOfLease(7), "");
  Put("a", "2");
  EXPECT_EQ(KeysOfLease(7), "");
}

// STORE-88
TEST_P(PutDelete, APutSetsTheLease) {
  Grant(7, 100);
  Grant(8, 100);
  PutRequest r("a", Bytes("1"));
  const auto with = [&](LeaseId lease) {
    r.lease = lease;
    EXPECT_TRUE(Do(r).ok());
    return KeysOfLease(7) + "|" + KeysOfLease(8);
  };
  EXPECT_EQ(with(7), "a|");
  EXPECT_EQ(with(7), "a|");
  EXPECT_EQ(with(8), "|a");
  EXPECT_EQ(with(0), "|");
}

TEST_F(StoreTest, ValuesAreSharedNotCopied) {
  const value::Value tree = value::Obj({{"kind", value::Value::Of("Pod")}});
  ASSERT_TRUE(store.Put(PutRequest("a", tree)).ok());
  const RangeResponse response = *store.Range(RangeRequest("a"));
  EXPECT_TRUE(response.kvs[0].value().SameTree(tree));
}

}  // namespace
}  // namespace ksim::store
