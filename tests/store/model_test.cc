// Random operations on the store and on the reference model; every answer is compared.
#include <fmt/format.h>

#include <algorithm>

#include "ksim/sim/decisions.h"
#include "tests/store/reference_model.h"
#include "tests/store/store_fixture.h"

namespace ksim::store {
namespace {

class ModelTest : public StoreTest, public testing::WithParamInterface<std::uint64_t> {
 protected:
  ModelTest() : decisions_(GetParam(), {}, nullptr), site_(decisions_.Site("test/model")) {}

  std::uint32_t Draw(std::uint32_t n) { return decisions_.Draw(site_, next_draw_++, n); }
  std::string AnyKey() { return fmt::format("/registry/pods/p{}", Draw(8)); }
  std::string AnyValue() { return fmt::format("v{}", Draw(1000)); }

  // One watch, and the events that it must get by the model.
  struct Watch {
    std::unique_ptr<WatchStream> stream;
    std::string key, end;
    bool prev_kv = false;
    bool compacted = false;  // ended by a compaction
    Revision next = 0;       // first revision not reckoned yet
    std::vector<std::string> owed, got;
  };

  static std::string Show(const std::string& key, const ModelKv& kv) {
    return fmt::format("{}={} c{} m{} v{}", key, kv.value, kv.create, kv.mod, kv.version);
  }
  static std::string Show(const ModelState& state) {
    std::string text;
    for (const auto& [key, kv] : state) text += (text.empty() ? "" : ", ") + Show(key, kv);
    return text;
  }
  std::string Show(const ModelChange& c, bool prev_kv) {
    std::string text =
        c.now ? Show(c.key, *c.now) : fmt::format("{} deleted m{}", c.key, c.revision);
    if (prev_kv && c.before) text += " (was " + Show(c.key, *c.before) + ")";
    return text;
  }

  void WriteOne();
  void WriteTxn();
  void ReadOne();
  void CompactSomewhere();
  void OpenWatch();
  void Collect();
  void Reckon(Watch& watch);

  sim::Decisions decisions_;
  sim::SiteId site_;
  std::uint64_t next_draw_ = 0;
  ReferenceModel model_;
  std::vector<Watch> watches_;
};

void ModelTest::WriteOne() {
  const std::string key = AnyKey();
  if (Draw(3) == 0) {
    const std::string end = Draw(3) == 0 ? AnyKey() : std::string();
    std::vector<ReferenceModel::Write> writes;
    for (const auto& [k, kv] : model_.Latest()) {
      if (end.empty() ? k == key : k >= key && k < end) writes.push_back({k, std::nullopt});
    }
    model_.Apply(writes);
    EXPECT_EQ(Delete(key, end), model_.revision());
    return;
  }
  const std::string value = AnyValue();
  model_.Apply({{key, value}});
  EXPECT_EQ(Put(key, value), model_.revision());
}

// A compare on one key chooses between a put and a delete, each of two keys.
void ModelTest::WriteTxn() {
  const std::string guard = AnyKey(), one = AnyKey();
  std::string two = AnyKey();
  while (two == one) two = AnyKey();
  const Revision expected = Draw(2) == 0 ? 0 : static_cast<Revision>(Draw(10));
  TxnRequest txn;
  txn.compare = {Compare(guard, Compare::Target::kMod, Compare::Result::kGreater, expected)};
  txn.success = {PutRequest(one, Bytes("t")), DeleteRangeRequest(two)};
  txn.failure = {DeleteRangeRequest(one), PutRequest(two, Bytes("f"))};
  const auto it = model_.Latest().find(guard);
  const bool succeeds = it != model_.Latest().end() && it->second.mod > expected;
  if (succeeds) {
    model_.Apply({{one, "t"}, {two, std::nullopt}});
  } else {
    model_.Apply({{one, std::nullopt}, {two, "f"}});
  }
  const absl::StatusOr<TxnResponse> response = store.Txn(txn);
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->succeeded, succeeds);
  EXPECT_EQ(response->header.revision, model_.revision());
}

void ModelTest::ReadOne() {
  const Revision at =
      static_cast<Revision>(Draw(static_cast<std::uint32_t>(model_.revision()))) + 1;
  if (at < model_.compacted()) {
    EXPECT_EQ(State(at), "11 etcdserver: mvcc: required revision has been compacted");
  } else {
    EXPECT_EQ(State(at), Show(model_.At(at))) << "at " << at;
  }
  EXPECT_EQ(State(), Show(model_.Latest()));
}

void ModelTest::CompactSomewhere() {
  const Revision floor = std::max<Revision>(model_.compacted(), 0);
  const auto span = static_cast<std::uint32_t>(model_.revision() - floor);
  if (span == 0) return;
  const Revision to = floor + 1 + static_cast<Revision>(Draw(span));
  ASSERT_EQ(Compact(to), "ok");
  model_.Compact(to);
}

// The store resolves prev_kv when it sends an event: a version that was compacted since the event
// was queued is no previous version any more.
void ModelTest::Reckon(Watch& watch) {
  if (watch.compacted) return;
  for (const ModelChange& c : model_.Changes(watch.key, watch.end, watch.next))
    watch.owed.push_back(Show(c, watch.prev_kv));
  watch.next = std::max(watch.next, model_.revision() + 1);
}

void ModelTest::OpenWatch() {
  Watch watch;
  watch.key = AnyKey();
  watch.end = Draw(2) == 0 ? watch.key + std::string(1, '\0') : std::string("/registry/pods0");
  watch.prev_kv = Draw(2) == 0;
  WatchRequest r(watch.key, watch.end, 0);
  r.prev_kv = watch.prev_kv;
  const Revision current = model_.revision();
  if (Draw(4) != 0) r.start_revision = 1 + Draw(static_cast<std::uint32_t>(current) + 3);
  watch.next = r.start_revision == 0 ? current + 1 : r.start_revision;
  watch.compacted = watch.next < model_.compacted();
  watch.stream = store.NewWatchStream();
  watch.stream->Watch(r);
  while (store.SyncWatchers() > 0) {
  }
  watches_.push_back(std::move(watch));
}

void ModelTest::Collect() {
  for (Watch& watch : watches_) {
    Reckon(watch);
    Revision last = 0;
    while (std::optional<WatchResponse> r = watch.stream->Next()) {
      EXPECT_EQ(r->compact_revision != 0, r->canceled);
      EXPECT_TRUE(!r->canceled || watch.compacted);
      for (const WatchEvent& e : r->events) watch.got.push_back(store::Show(e));
      if (r->events.empty()) continue;
      EXPECT_GT(r->events.front().kv.mod_revision(), last) << "a revision was split";
      last = r->events.back().kv.mod_revision();
    }
    EXPECT_EQ(watch.got, watch.owed) << watch.key << " .. " << watch.end;
  }
}

// STORE-17, STORE-58, STORE-60, STORE-65, STORE-71, STORE-73
TEST_P(ModelTest, AnswersAsTheReferenceModel) {
  for (int step = 0; step < 600 && !HasFailure(); ++step) {
    switch (Draw(12)) {
      case 0:
        CompactSomewhere();
        break;
      case 1:
        if (watches_.size() < 20) OpenWatch();
        break;
      case 2:
        Collect();
        break;
      case 3:
      case 4:
        ReadOne();
        break;
      case 5:
      case 6:
        WriteTxn();
        break;
      default:
        WriteOne();
    }
  }
  Collect();
}

INSTANTIATE_TEST_SUITE_P(Seeds, ModelTest, testing::Range<std::uint64_t>(1, 41));

}  // namespace
}  // namespace ksim::store
