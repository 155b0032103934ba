#include <array>
#include <initializer_list>

#include "tests/store/store_fixture.h"

namespace ksim::store {
namespace {

using Target = Compare::Target;
using Result = Compare::Result;

class TxnTest : public StoreTest {
 protected:
  static TxnRequest Success(std::initializer_list<RequestOp> ops) {
    TxnRequest txn;
    txn.success = ops;
    return txn;
  }
  static RequestOp P(const std::string& key, std::string_view value = "v") {
    return PutRequest(key, Bytes(value));
  }
  static RequestOp D(const std::string& key, const std::string& end = {}) {
    return DeleteRangeRequest(key, end);
  }
  static RequestOp R(const std::string& key, Revision revision = 0) {
    RangeRequest r(key);
    r.revision = revision;
    return r;
  }
  std::string Try(const TxnRequest& txn) { return ErrorIn(store.Txn(txn)); }
  bool Holds(const Compare& c) {
    TxnRequest txn;
    txn.compare = {c};
    return store.Txn(txn)->succeeded;
  }
};

// STORE-38
TEST_F(TxnTest, AllComparesMustHold) {
  Put("a");
  const Compare yes("a", Target::kVersion, Result::kEqual, 1);
  const Compare no("a", Target::kVersion, Result::kEqual, 2);
  struct Row {
    std::vector<Compare> compares;
    bool succeeded;
  };
  for (const Row& row : std::vector<Row>{{{}, true}, {{yes, yes}, true}, {{yes, no}, false}}) {
    TxnRequest txn;
    txn.compare = row.compares;
    txn.success = {R("a"), P("s")};
    txn.failure = {P("f"), R("a"), R("x")};
    const TxnResponse response = *store.Txn(txn);
    EXPECT_EQ(response.succeeded, row.succeeded);
    ASSERT_EQ(response.responses.size(), row.succeeded ? 2u : 3u);
    EXPECT_EQ(response.responses[row.succeeded ? 0 : 1].range().count, 1);
  }
}

// STORE-39
TEST_F(TxnTest, TargetsAndResults) {
  Grant(7, 100);
  Put("x");
  Put("a", "m", 7);
  Put("a", "m", 7);  // create 3, mod 4, version 2, lease 7
  struct Row {
    Target target;
    std::int64_t stored;
  };
  for (const Row& row : std::array<Row, 4>{
           {{Target::kVersion, 2}, {Target::kCreate, 3}, {Target::kMod, 4}, {Target::kLease, 7}}}) {
    for (std::int64_t operand : {row.stored - 1, row.stored, row.stored + 1}) {
      EXPECT_EQ(Holds({"a", row.target, Result::kEqual, operand}), row.stored == operand);
      EXPECT_EQ(Holds({"a", row.target, Result::kNotEqual, operand}), row.stored != operand);
      EXPECT_EQ(Holds({"a", row.target, Result::kGreater, operand}), row.stored > operand);
      EXPECT_EQ(Holds({"a", row.target, Result::kLess, operand}), row.stored < operand);
    }
  }
  for (const std::string operand : {"l", "m", "ma"}) {
    const std::string stored = "m";
    EXPECT_EQ(Holds({"a", Result::kEqual, Bytes(operand)}), stored == operand);
    EXPECT_EQ(Holds({"a", Result::kNotEqual, Bytes(operand)}), stored != operand);
    EXPECT_EQ(Holds({"a", Result::kGreater, Bytes(operand)}), stored > operand);
    EXPECT_EQ(Holds({"a", Result::kLess, Bytes(operand)}), stored < operand);
  }
}

// STORE-40, STORE-41
TEST_F(TxnTest, MissingKeys) {
  for (Target target : {Target::kVersion, Target::kCreate, Target::kMod, Target::kLease}) {
    EXPECT_TRUE(Holds({"no", target, Result::kEqual, 0}));
    EXPECT_TRUE(Holds({"no", target, Result::kLess, 1}));
    EXPECT_FALSE(Holds({"no", target, Result::kGreater, 0}));
  }
  EXPECT_FALSE(Holds({"no", Result::kEqual, Bytes("")}));
  EXPECT_FALSE(Holds({"no", Result::kNotEqual, Bytes("x")}));
}

// STORE-42
TEST_F(TxnTest, ComparesOverIntervals) {
  for (const char* key : {"a", "b", "c"}) Put(key);
  Put("c");
  const auto interval = [](Compare c, const std::string& end) {
    c.range_end = end;
    return c;
  };
  EXPECT_TRUE(Holds(interval({"a", Target::kVersion, Result::kEqual, 1}, "c")));
  EXPECT_FALSE(Holds(interval({"a", Target::kVersion, Result::kEqual, 1}, "d")));
  EXPECT_TRUE(Holds(interval({"b", Target::kVersion, Result::kGreater, 0}, kAll)));
  EXPECT_TRUE(Holds(interval({"x", Target::kMod, Result::kEqual, 0}, "z")));
  EXPECT_FALSE(Holds(interval({"x", Result::kNotEqual, Bytes("v")}, "z")));
  EXPECT_TRUE(Holds(interval({"a", Result::kEqual, Bytes("v")}, "z")));
}

// STORE-43
TEST_F(TxnTest, NestedComparesSeeTheStateBefore) {
  TxnRequest child;
  child.compare = {Compare("k", Target::kVersion, Result::kEqual, 0)};
  child.success = {P("r", "saw nothing")};
  child.failure = {P("r", "saw the put")};
  const TxnResponse response = *store.Txn(Success({P("k"), child}));
  EXPECT_TRUE(response.responses[1].txn().succeeded);
  EXPECT_EQ(Get("r"), "r=saw nothing c2 m2 v1");
}

// STORE-44, STORE-52
TEST_F(TxnTest, RangesSeeEarlierWritesAndTheirRevision) {
  Put("a", "old");
  const TxnResponse response =
      *store.Txn(Success({R("a"), P("a", "new"), R("a"), Success({R("a")})}));
  EXPECT_EQ(Show(response.responses[2].range().kvs), "a=new c2 m3 v2");
  EXPECT_EQ(response.responses[0].range().header.revision, 2);
  EXPECT_EQ(response.responses[1].put().header.revision, 3);
  EXPECT_EQ(response.responses[2].range().header.revision, 3);
  EXPECT_EQ(response.responses[3].txn().header.revision, 0);
  EXPECT_EQ(response.header.revision, 3);
}

// STORE-45
TEST_F(TxnTest, RangeRevisionsAreOfBeforeTheTxn) {
  Put("a", "1");
  Put("a", "2");
  EXPECT_EQ(Try(Success({P("b"), R("a", 4)})),
            "11 etcdserver: mvcc: required revision is a future revision");
  EXPECT_EQ(Try(Success({R("a", -1)})), "ok");
  EXPECT_EQ(Try(Success({R("a", -2)})),
            "11 etcdserver: mvcc: required revision has been compacted");
  const TxnResponse response = *store.Txn(Success({P("a", "3"), R("a", 3)}));
  EXPECT_EQ(Show(response.responses[1].range().kvs), "a=2 c2 m3 v2");
  Compact(3);
  EXPECT_EQ(Try(Success({P("b"), R("a", 2)})),
            "11 etcdserver: mvcc: required revision has been compacted");
  EXPECT_EQ(Get("b"), "none");
}

// STORE-46, STORE-47
TEST_F(TxnTest, OneFailingOpFailsTheWhole) {
  PutRequest no_lease("b", Bytes("v"));
  no_lease.lease = 404;
  PutRequest no_key("c", Bytes(""));
  no_key.ignore_value = true;
  EXPECT_EQ(Try(Success({P("a"), no_lease})), "5 etcdserver: requested lease not found");
  EXPECT_EQ(Try(Success({P("a"), no_key})), "3 etcdserver: key not found");
  EXPECT_EQ(Try(Success({P("a"), Success({no_lease})})), "5 etcdserver: requested lease not found");
  PutRequest just_made("a", Bytes(""));
  just_made.ignore_value = true;
  EXPECT_EQ(Try(Success({R("x"), just_made})), "3 etcdserver: key not found");
  TxnRequest not_taken;
  not_taken.compare = {Compare("a", Target::kVersion, Result::kGreater, 9)};
  not_taken.success = {no_lease};
  not_taken.failure = {P("f")};
  EXPECT_EQ(Try(not_taken), "ok");
  EXPECT_EQ(State(), "f=v c2 m2 v1");
}

// STORE-32
TEST_F(TxnTest, AMissingLeaseComesBeforeAMissingKey) {
  PutRequest both("a", Bytes(""));
  both.ignore_value = true;
  both.lease = 404;
  EXPECT_EQ(Try(Success({both})), "5 etcdserver: requested lease not found");
}

// STORE-48, STORE-49, STORE-50
TEST_F(TxnTest, DuplicateKeys) {
  const std::string duplicate = "3 etcdserver: duplicate key given in txn request";
  TxnRequest in_failure;
  in_failure.failure = {P("x"), P("x")};
  TxnRequest both_lists;
  both_lists.success = {P("x")};
  both_lists.failure = {P("x")};
  struct Row {
    TxnRequest txn;
    std::string expect;
  };
  const std::vector<Row> rows{
      {Success({P("x"), P("x")}), duplicate},
      {Success({P("x"), D("x")}), duplicate},
      {Success({D("x"), P("x")}), duplicate},
      {Success({D("w", "z"), P("x")}), duplicate},
      {Success({D("w", "x"), P("x")}), "ok"},
      {Success({D("x"), D("w", "z")}), "ok"},
      {in_failure, duplicate},
      {both_lists, "ok"},
      {Success({P("x"), Success({P("x")})}), duplicate},
      {Success({Success({P("x")}), Success({P("x")})}), duplicate},
      {Success({both_lists}), "ok"},
      {Success({both_lists, P("x")}), duplicate},
      {Success({Success({D("x")}), Success({P("x")})}), duplicate},
      {Success({Success({P("x")}), Success({D("x")})}), "ok"},
      {Success({Success({P("x")}), D("x")}), duplicate},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(Try(rows[i].txn), rows[i].expect) << i;
}

// STORE-50
TEST_F(TxnTest, PutThenDeleteBySiblingsLeavesTheKeyAbsent) {
  Put("x", "before");
  const auto stream = store.NewWatchStream();
  WatchRequest watch("x", "", 0);
  watch.prev_kv = true;
  stream->Watch(watch);
  Drain(*stream);
  EXPECT_EQ(Try(Success({Success({P("x", "in")}), Success({D("x")})})), "ok");
  EXPECT_EQ(Get("x"), "none");
  EXPECT_EQ(Drain(*stream),
            std::vector<std::string>{"w0 @3: x=in c2 m3 v2 (was x=before c2 m2 v1), "
                                     "x deleted m3 (was x=before c2 m2 v1)"});
}

// STORE-51
TEST_F(TxnTest, NumberOfOperations) {
  const auto ranges = [](int n) {
    TxnRequest txn;
    for (int i = 0; i < n; ++i) txn.success.emplace_back(RangeRequest("a"));
    return txn;
  };
  const std::string too_many = "3 etcdserver: too many operations in txn request";
  EXPECT_EQ(Try(ranges(128)), "ok");
  EXPECT_EQ(Try(ranges(129)), too_many);
  TxnRequest outer = ranges(99);
  outer.success.emplace_back(ranges(28));
  EXPECT_EQ(Try(outer), "ok");
  outer.success.back() = ranges(29);
  EXPECT_EQ(Try(outer), too_many);
  TxnRequest compares;
  compares.compare.resize(129, Compare("a", Target::kMod, Result::kEqual, 0));
  EXPECT_EQ(Try(compares), too_many);
  TxnRequest failures;
  failures.failure.resize(129, R("a"));
  EXPECT_EQ(Try(failures), too_many);
}

// STORE-53, STORE-13, STORE-55
TEST_F(TxnTest, OrderOfChecks) {
  const std::string no_key = "3 etcdserver: key is not provided";
  PutRequest no_lease("b", Bytes("v"));
  no_lease.lease = 404;
  TxnRequest empty_in_other_list;
  empty_in_other_list.failure = {P("")};
  EXPECT_EQ(Try(empty_in_other_list), no_key);
  TxnRequest empty_compare;
  empty_compare.compare = {Compare("", Target::kMod, Result::kEqual, 0)};
  EXPECT_EQ(Try(empty_compare), no_key);
  EXPECT_EQ(Try(Success({P("x"), P("x"), P("")})), no_key);
  EXPECT_EQ(Try(Success({no_lease, P("x"), P("x")})),
            "3 etcdserver: duplicate key given in txn request");
  EXPECT_EQ(Try(Success({RequestOp()})), "3 etcdserver: key not found");
}

// STORE-54
TEST_F(TxnTest, WatchersGetATxnInOneResponse) {
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest("a", "c", 0));
  Drain(*stream);
  ASSERT_EQ(Try(Success({P("b"), P("c"), P("a")})), "ok");
  EXPECT_EQ(Drain(*stream), std::vector<std::string>{"w0 @2: b=v c2 m2 v1, a=v c2 m2 v1"});
}

TEST_F(TxnTest, OptimisticWrites) {
  const TxnRequest create = OptimisticPut(PutRequest("a", Bytes("1")), 0, true);
  EXPECT_TRUE(store.Txn(create)->succeeded);
  const TxnResponse conflict = *store.Txn(create);
  EXPECT_FALSE(conflict.succeeded);
  EXPECT_EQ(Show(conflict.responses[0].range().kvs), "a=1 c2 m2 v1");
  EXPECT_FALSE(store.Txn(OptimisticDelete("a", 1, false))->succeeded);
  EXPECT_TRUE(store.Txn(OptimisticDelete("a", 2, false))->succeeded);
  EXPECT_EQ(State(), "");
}

}  // namespace
}  // namespace ksim::store
