#include "ksim/store/encoded_size.h"
#include "ksim/store/request_check.h"
#include "ksim/value/json.h"
#include "tests/store/store_fixture.h"

namespace ksim::store {
namespace {

using Limits = StoreTest;

// STORE-93
TEST_F(Limits, SizeOfARequest) {
  const auto put = [&](std::size_t bytes) {
    return ErrorIn(store.Put(PutRequest("k", Bytes(std::string(bytes, 'x')))));
  };
  const std::string too_large = "3 etcdserver: request is too large";
  EXPECT_EQ(put(kMaxRequestBytes), too_large);
  EXPECT_EQ(put(kMaxRequestBytes - 20), too_large);
  EXPECT_EQ(put(kMaxRequestBytes - 100), "ok");
  EXPECT_EQ(put(kMaxMessageBytes).substr(0, 43), "8 grpc: received message larger than max (2");
  EXPECT_EQ(store.revision(), 2);
}

// STORE-93
TEST_F(Limits, TheWholeTransactionCounts) {
  TxnRequest txn;
  txn.success = {PutRequest("a", Bytes(std::string(800'000, 'x'))),
                 PutRequest("b", Bytes(std::string(800'000, 'x')))};
  EXPECT_EQ(ErrorIn(store.Txn(txn)), "3 etcdserver: request is too large");
  txn.success.pop_back();
  EXPECT_EQ(ErrorIn(store.Txn(txn)), "ok");
}

// STORE-93
TEST_F(Limits, OnlyWritesGoThroughTheRaftLog) {
  const std::string long_key(1'600'000, 'k');
  EXPECT_EQ(ErrorIn(store.Range(RangeRequest(long_key))), "ok");
  EXPECT_EQ(ErrorIn(store.DeleteRange(DeleteRangeRequest(long_key))),
            "3 etcdserver: request is too large");
  TxnRequest reads;
  reads.success = {RangeRequest(long_key)};
  EXPECT_EQ(ErrorIn(store.Txn(reads)), "ok");
}

// STORE-93
TEST_F(Limits, TreesCountAsTheirJson) {
  const auto tree_of = [](std::size_t bytes, char fill) {
    return value::Obj({{"data", value::Value::String(std::string(bytes, fill))}});
  };
  EXPECT_EQ(EncodedSize(tree_of(600'000, 'x')), value::ToJson(tree_of(600'000, 'x')).size());
  EXPECT_EQ(ErrorIn(store.Put(PutRequest("k", tree_of(600'000, 'x')))), "ok");
  EXPECT_EQ(ErrorIn(store.Put(PutRequest("k", tree_of(1'600'000, 'x')))),
            "3 etcdserver: request is too large");
  EXPECT_EQ(ErrorIn(store.Put(PutRequest("k", tree_of(300'000, '\x01')))),
            "3 etcdserver: request is too large")
      << "escaped, each byte takes six";
}

TEST(EncodedSize, IsThatOfProtobuf) {
  PutRequest put("key", Bytes("value"));
  EXPECT_EQ(EncodedSize(put), 5u + 7u);
  put.lease = 300;
  put.prev_kv = true;
  EXPECT_EQ(EncodedSize(put), 12u + 3u + 2u);
  EXPECT_EQ(EncodedSize(PutRequest("key", Bytes(std::string(200, 'x')))), 5u + 203u);
  RangeRequest range("a", "b");
  range.limit = 500;
  range.revision = -1;
  EXPECT_EQ(EncodedSize(range), 3u + 3u + 3u + 11u);
  TxnRequest txn;
  txn.compare = {Compare::ModRevisionIs("a", 5)};
  txn.success = {RangeRequest("a")};
  EXPECT_EQ(EncodedSize(txn), (2u + 2 + 3 + 2) + (2u + 2 + 3));
  EXPECT_EQ(EncodedSize(DeleteRangeRequest("a", "b")), 6u);
}

TEST(EncodedSize, OfATreeIsNeverLessThanItsJsonWithoutEscapes) {
  const value::Value tree =
      value::Obj({{"a", value::Arr({value::Value::Of(12345), value::Value()})},
                  {"b", value::Value::Of(true)},
                  {"c", value::Value::Of("text")}});
  EXPECT_GE(EncodedSize(tree), value::ToJson(tree).size());
}

// STORE-94
TEST(Errors, CodesAndTexts) {
  const std::vector<std::pair<absl::Status, std::string>> table{
      {EmptyKeyError(), "3 etcdserver: key is not provided"},
      {KeyNotFoundError(), "3 etcdserver: key not found"},
      {ValueProvidedError(), "3 etcdserver: value is provided"},
      {LeaseProvidedError(), "3 etcdserver: lease is provided"},
      {TooManyOpsError(), "3 etcdserver: too many operations in txn request"},
      {DuplicateKeyError(), "3 etcdserver: duplicate key given in txn request"},
      {InvalidSortOptionError(), "3 etcdserver: invalid sort option"},
      {RequestTooLargeError(), "3 etcdserver: request is too large"},
      {LeaseNotFoundError(), "5 etcdserver: requested lease not found"},
      {LeaseExistsError(), "9 etcdserver: lease already exists"},
      {CompactedError(), "11 etcdserver: mvcc: required revision has been compacted"},
      {FutureRevisionError(), "11 etcdserver: mvcc: required revision is a future revision"},
      {LeaseTtlTooLargeError(), "11 etcdserver: too large lease TTL"}};
  for (const auto& [status, text] : table) EXPECT_EQ(Show(status), text);
  EXPECT_TRUE(IsCompacted(CompactedError()) && !IsCompacted(FutureRevisionError()));
  EXPECT_TRUE(IsFutureRevision(FutureRevisionError()) && !IsFutureRevision(CompactedError()));
}

}  // namespace
}  // namespace ksim::store
