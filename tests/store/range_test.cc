#include <array>
#include <functional>

#include "tests/store/store_fixture.h"

namespace ksim::store {
namespace {

// Every range runs twice: plain, and inside a transaction.
class RangeTest : public StoreTest, public testing::WithParamInterface<bool> {
 protected:
  absl::StatusOr<RangeResponse> Range(const RangeRequest& r) {
    if (!GetParam()) return store.Range(r);
    TxnRequest txn;
    txn.success = {r};
    absl::StatusOr<TxnResponse> response = store.Txn(txn);
    if (!response.ok()) return response.status();
    return response->responses.at(0).range();
  }
  std::string KeysOf(const RangeRequest& r) {
    const absl::StatusOr<RangeResponse> response = Range(r);
    return response.ok() ? Keys(response->kvs) : Show(response.status());
  }
  void PutAll(std::initializer_list<const char*> keys) {
    for (const char* key : keys) Put(key);
  }
};
INSTANTIATE_TEST_SUITE_P(PlainAndInTxn, RangeTest, testing::Bool());

// STORE-11, STORE-12, STORE-14
TEST_P(RangeTest, Intervals) {
  PutAll({"b", "a", "ab", "c"});
  Put(kAll);
  const std::string nul = kAll;
  struct Row {
    std::string key, end, expect;
  };
  const std::array<Row, 9> rows{{{"a", "", "a"},
                                 {"a", "b", "a ab"},
                                 {"a", "c", "a ab b"},
                                 {"ab", nul, "ab b c"},
                                 {nul, nul, nul + " a ab b c"},
                                 {"c", "a", ""},
                                 {"a", "a", ""},
                                 {"a", PrefixEnd("a"), "a ab"},
                                 {"d", nul, ""}}};
  for (const Row& row : rows) {
    EXPECT_EQ(KeysOf(RangeRequest(row.key, row.end)), row.expect) << row.key << ".." << row.end;
  }
  EXPECT_EQ(Range(RangeRequest("c", "a"))->count, 0);
}

// STORE-13
TEST_P(RangeTest, EmptyKeyIsRefused) {
  EXPECT_EQ(ErrorIn(Range(RangeRequest(""))), "3 etcdserver: key is not provided");
}

// STORE-15, STORE-16
TEST_P(RangeTest, RevisionMustBeWithinWhatIsKept) {
  for (int i = 0; i < 5; ++i) Put("a", fmt::format("{}", i));
  Compact(4);
  const std::string future = "11 etcdserver: mvcc: required revision is a future revision";
  const std::string compacted = "11 etcdserver: mvcc: required revision has been compacted";
  const auto at = [&](Revision revision) {
    RangeRequest r("a");
    r.revision = revision;
    const absl::StatusOr<RangeResponse> response = Range(r);
    return response.ok() ? Show(response->kvs) : Show(response.status());
  };
  EXPECT_EQ(at(7), future);
  EXPECT_EQ(at(3), compacted);
  EXPECT_EQ(at(4), "a=2 c2 m4 v3");
  EXPECT_EQ(at(0), "a=4 c2 m6 v5");
  EXPECT_EQ(at(6), "a=4 c2 m6 v5");
  EXPECT_EQ(at(-1), GetParam() ? compacted : "a=4 c2 m6 v5");
}

// STORE-17
TEST_P(RangeTest, PastRevisionsShowTheStateOfThen) {
  Put("a", "1");  // 2
  Put("b", "1");  // 3
  Put("a", "2");  // 4
  Delete("a");    // 5
  Put("a", "3");  // 6
  const std::array<const char*, 7> expect{"",
                                          "",
                                          "a=1 c2 m2 v1",
                                          "a=1 c2 m2 v1, b=1 c3 m3 v1",
                                          "a=2 c2 m4 v2, b=1 c3 m3 v1",
                                          "b=1 c3 m3 v1",
                                          "a=3 c6 m6 v1, b=1 c3 m3 v1"};
  for (Revision revision = 1; revision <= 6; ++revision) {
    RangeRequest r(kAll, kAll);
    r.revision = revision;
    EXPECT_EQ(Show(Range(r)->kvs), expect[static_cast<std::size_t>(revision)]) << revision;
  }
}

// STORE-18, STORE-19
TEST_P(RangeTest, LimitAndMore) {
  PutAll({"a", "b", "c"});
  struct Row {
    std::int64_t limit;
    const char* keys;
    bool more;
  };
  for (const Row& row : std::array<Row, 5>{{{0, "a b c", false},
                                            {-1, "a b c", false},
                                            {2, "a b", true},
                                            {3, "a b c", false},
                                            {4, "a b c", false}}}) {
    RangeRequest r(kAll, kAll);
    r.limit = row.limit;
    const RangeResponse response = *Range(r);
    EXPECT_EQ(Keys(response.kvs), row.keys) << row.limit;
    EXPECT_EQ(response.more, row.more) << row.limit;
    EXPECT_EQ(response.count, 3) << row.limit;
  }
}

// STORE-20
TEST_P(RangeTest, CountOnly) {
  PutAll({"a", "b", "c"});
  RangeRequest r("a", "c");
  r.count_only = true;
  r.limit = 1;
  const RangeResponse response = *Range(r);
  EXPECT_EQ(response.count, 2);
  EXPECT_TRUE(response.kvs.empty());
  EXPECT_FALSE(response.more);
}

// STORE-21, STORE-26
TEST_P(RangeTest, KeysOnlyBlanksValuesAfterSorting) {
  Put("a", "9");
  Put("b", "1");
  RangeRequest r(kAll, kAll);
  r.keys_only = true;
  r.sort_target = SortTarget::kValue;
  EXPECT_EQ(Show(Range(r)->kvs), "b= c3 m3 v1, a= c2 m2 v1");
}

// STORE-22, STORE-19
TEST_P(RangeTest, RevisionFilters) {
  PutAll({"a", "b", "c"});  // 2 3 4
  Put("a");                 // 5
  const auto with = [&](const std::function<void(RangeRequest*)>& set) {
    RangeRequest r(kAll, kAll);
    set(&r);
    const RangeResponse response = *Range(r);
    EXPECT_EQ(response.count, 3);
    return Keys(response.kvs) + (response.more ? " more" : "");
  };
  EXPECT_EQ(with([](auto* r) { r->min_mod_revision = 4; }), "a c");
  EXPECT_EQ(with([](auto* r) { r->max_mod_revision = 4; }), "b c");
  EXPECT_EQ(with([](auto* r) { r->min_create_revision = 3; }), "b c");
  EXPECT_EQ(with([](auto* r) { r->max_create_revision = 2; }), "a");
  EXPECT_EQ(with([](auto* r) { r->min_mod_revision = 4, r->max_create_revision = 2; }), "a");
  EXPECT_EQ(with([](auto* r) { r->min_create_revision = 3, r->limit = 1; }), "b more");
  EXPECT_EQ(with([](auto* r) { r->min_create_revision = 3, r->limit = 2; }), "b c");
}

// STORE-23, STORE-24, STORE-25
TEST_P(RangeTest, Sorting) {
  Put("a", "2");
  Put("b", "9");
  Put("c", "1");
  Put("d", "1");
  Put("b", "1");
  const auto sorted = [&](SortTarget target, SortOrder order, std::int64_t limit = 0) {
    RangeRequest r(kAll, kAll);
    r.sort_target = target;
    r.sort_order = order;
    r.limit = limit;
    return KeysOf(r);
  };
  EXPECT_EQ(sorted(SortTarget::kKey, SortOrder::kDescend), "d c b a");
  EXPECT_EQ(sorted(SortTarget::kKey, SortOrder::kDescend, 2), "d c");
  EXPECT_EQ(sorted(SortTarget::kMod, SortOrder::kAscend), "a c d b");
  EXPECT_EQ(sorted(SortTarget::kMod, SortOrder::kDescend, 1), "b");
  EXPECT_EQ(sorted(SortTarget::kCreate, SortOrder::kDescend), "d c b a");
  EXPECT_EQ(sorted(SortTarget::kVersion, SortOrder::kAscend), "a c d b");
  EXPECT_EQ(sorted(SortTarget::kVersion, SortOrder::kDescend), "b a c d");
  EXPECT_EQ(sorted(SortTarget::kValue, SortOrder::kAscend), "b c d a");
  EXPECT_EQ(sorted(SortTarget::kValue, SortOrder::kDescend), "a b c d");
  // Without an order the limit cuts in key order first, plus one.
  EXPECT_EQ(sorted(SortTarget::kValue, SortOrder::kNone, 1), "b");
  EXPECT_EQ(sorted(SortTarget::kMod, SortOrder::kNone, 2), "a c");
}

// STORE-27
TEST_P(RangeTest, UnknownSortOptions) {
  RangeRequest r("a");
  r.sort_order = static_cast<SortOrder>(3);
  EXPECT_EQ(ErrorIn(Range(r)), "3 etcdserver: invalid sort option");
  r.sort_order = SortOrder::kNone;
  r.sort_target = static_cast<SortTarget>(5);
  EXPECT_EQ(ErrorIn(Range(r)), "3 etcdserver: invalid sort option");
}

TEST_P(RangeTest, TreesSortByTheirJson) {
  ASSERT_TRUE(store.Put(PutRequest("a", value::Obj({{"n", value::Value::Of(2)}}))).ok());
  ASSERT_TRUE(store.Put(PutRequest("b", value::Obj({{"n", value::Value::Of(1)}}))).ok());
  RangeRequest r(kAll, kAll);
  r.sort_target = SortTarget::kValue;
  EXPECT_EQ(KeysOf(r), "b a");
}

TEST(PrefixEnd, IsTheFirstKeyBehindThePrefix) {
  EXPECT_EQ(PrefixEnd("/registry/pods/"), "/registry/pods0");
  EXPECT_EQ(PrefixEnd("a\xff\xff"), "b");
  EXPECT_EQ(PrefixEnd("\xff"), kFromKey);
  EXPECT_EQ(PrefixEnd(""), kFromKey);
}

}  // namespace
}  // namespace ksim::store
