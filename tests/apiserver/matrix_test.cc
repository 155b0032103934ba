// The matrices of list and watch, one row a case: resourceVersion x resourceVersionMatch x limit,
// and resourceVersion x sendInitialEvents, in each profile.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ksim/apiserver/core/list_query.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;

// Config maps a, b and c were created in this order at revisions r1, r2 and r3; the watch cache has
// them all, and `head` is a later write of another kind. `old` is r1 after the store has compacted
// it and the cache has dropped it.
class Matrix {
 public:
  explicit Matrix(Compat compat, bool forget) : world(WorldOptions(compat)) {
    for (const char* name : {"a", "b", "c"})
      made_.push_back(world.Create("configmaps", "default", ConfigMap("default", name))
                          .object.resource_version());
    world.Create("configmaps", "kube-system", ConfigMap("kube-system", "x"));
    world.Advance(Seconds(1));
    head_ = world.revision();
    if (!forget) return;
    EXPECT_TRUE(world.store().Compact(store::CompactRequest(head_, {})).ok());
    world.server().faults().watch_cache(world.Kind("configmaps")).ExpireHistory();
  }

  std::string Revision(std::string_view symbol) const {
    if (symbol == "r1" || symbol == "old") return std::to_string(made_[0]);
    if (symbol == "r2") return std::to_string(made_[1]);
    if (symbol == "head") return std::to_string(head_);
    if (symbol == "future") return std::to_string(head_ + 1000);
    return std::string(symbol);
  }
  std::string Symbol(std::int64_t revision) const {
    for (std::size_t i = 0; i < made_.size(); ++i)
      if (made_[i] == revision) return fmt::format("r{}", i + 1);
    return revision == head_ ? "head" : std::to_string(revision);
  }

  // "cache head abc", "store r2 a +1" (one more to come), "504 Timeout retry 1 after 3s".
  std::string List(std::string_view rv, std::string_view match, std::int64_t limit) {
    const VirtualTime before = world.sim.now();
    const api::Response r =
        world.List("configmaps", "default", Options(Revision(rv), match, limit));
    if (r.code != 200) return Refusal(r.status, world.sim.now() - before);
    std::string text = r.from == api::Response::From::kCache ? "cache " : "store ";
    text += Symbol(r.list_rv) + " ";
    for (const std::string& name : Names(r)) text += name;
    if (!r.continue_token.empty()) text += fmt::format(" +{}", r.remaining_item_count.value_or(-1));
    return text;
  }

  // The events that come at once, such as "abc end@head", "bc" or "410 Expired"; then "| d" if the
  // watch also delivers a later write.
  std::string Watch(std::string_view rv, std::optional<bool> initial) {
    api::ListOptions options = Options(Revision(rv), initial ? "NotOlderThan" : "");
    options.send_initial_events = initial;
    options.allow_watch_bookmarks = true;
    const auto watch = world.Watch("configmaps", "default", options);
    if (watch->response.code != 200) return Refusal(watch->response.status, Duration());
    world.Advance(Milliseconds(3500));
    std::string text = Told(*watch);
    watch->seen.clear();
    world.Create("configmaps", "default", ConfigMap("default", "d"));
    world.Advance(Milliseconds(100));
    const std::string then = Told(*watch);
    if (!then.empty()) text += (text.empty() ? "| " : " | ") + then;
    return watch->closed ? text + " EOF" : text;
  }

  World world;

 private:
  static std::string Refusal(const api::Status& s, Duration took) {
    std::string text = fmt::format("{} {}", s.code, s.reason.empty() ? "-" : s.reason);
    if (s.details->retry_after_seconds > 0)
      text += fmt::format(" retry {}", s.details->retry_after_seconds);
    if (took >= Seconds(1)) text += fmt::format(" after {}s", took.whole_seconds());
    return text;
  }
  // Periodic bookmarks may come or not; only the bookmark that ends the initial state counts.
  std::string Told(const TestWatch& watch) const {
    std::string text;
    for (const TestWatch::Seen& s : watch.seen) {
      const api::WatchEvent& e = s.event;
      if (e.type == api::WatchEventType::kError) {
        text += Refusal(e.status(), Duration());
      } else if (e.initial_end) {
        text += fmt::format(" end@{}", Symbol(e.object.resource_version()));
      } else if (e.type != api::WatchEventType::kBookmark) {
        EXPECT_EQ(e.type, api::WatchEventType::kAdded);
        text += e.object.name();
      }
    }
    return text;
  }

  std::vector<std::int64_t> made_;
  std::int64_t head_ = 0;
};

// API-20
// API-37
// API-38
// API-40
// API-41
// API-46
// API-50
TEST(Matrix, Lists) {
  struct Row {
    const char *rv, *match;
    std::int64_t limit;
    const char *at_1_25_and_1_30, *at_1_36;
  };
  const char* too_large = "504 Timeout retry 1 after 3s";
  const Row rows[] = {{"", "", 0, "store head abc", "cache head abc"},
                      {"", "", 1, "store head a +2", "cache head a +2"},
                      {"", "Exact", 0, "422 Invalid", "422 Invalid"},
                      {"", "Exact", 1, "422 Invalid", "422 Invalid"},
                      {"", "NotOlderThan", 0, "422 Invalid", "422 Invalid"},
                      {"", "NotOlderThan", 1, "422 Invalid", "422 Invalid"},
                      {"0", "", 0, "cache head abc", "cache head abc"},
                      {"0", "", 1, "cache head abc", "cache head abc"},
                      {"0", "Exact", 0, "422 Invalid", "422 Invalid"},
                      {"0", "Exact", 1, "422 Invalid", "422 Invalid"},
                      {"0", "NotOlderThan", 0, "cache head abc", "cache head abc"},
                      {"0", "NotOlderThan", 1, "cache head abc", "cache head abc"},
                      {"r2", "", 0, "cache head abc", "cache head abc"},
                      {"r2", "", 1, "store r2 a +1", "cache r2 a +1"},
                      {"r2", "Exact", 0, "store r2 ab", "cache r2 ab"},
                      {"r2", "Exact", 1, "store r2 a +1", "cache r2 a +1"},
                      {"r2", "Exact", 2, "store r2 ab", "cache r2 ab"},
                      {"r2", "NotOlderThan", 0, "cache head abc", "cache head abc"},
                      {"r2", "NotOlderThan", 1, "store head a +2", "cache head a +2"},
                      {"head", "", 0, "cache head abc", "cache head abc"},
                      {"head", "", 1, "store head a +2", "cache head a +2"},
                      {"head", "Exact", 0, "store head abc", "cache head abc"},
                      {"head", "Exact", 3, "store head abc", "cache head abc"},
                      {"head", "NotOlderThan", 0, "cache head abc", "cache head abc"},
                      {"head", "NotOlderThan", 1, "store head a +2", "cache head a +2"},
                      {"future", "", 0, too_large, too_large},
                      {"future", "", 1, "500 -", too_large},
                      {"future", "Exact", 0, "500 -", too_large},
                      {"future", "Exact", 1, "500 -", too_large},
                      {"future", "NotOlderThan", 0, too_large, too_large},
                      {"future", "NotOlderThan", 1, "504 Timeout", too_large},
                      {"old", "", 0, "cache head abc", "cache head abc"},
                      {"old", "", 1, "410 Expired", "410 Expired"},
                      {"old", "Exact", 0, "410 Expired", "410 Expired"},
                      {"old", "Exact", 1, "410 Expired", "410 Expired"},
                      {"old", "NotOlderThan", 0, "cache head abc", "cache head abc"},
                      {"old", "NotOlderThan", 1, "store head a +2", "cache head a +2"},
                      {"nine", "", 0, "500 -", "400 BadRequest"},
                      {"nine", "Exact", 1, "400 BadRequest", "400 BadRequest"},
                      {"nine", "Sometimes", 0, "422 Invalid", "422 Invalid"}};
  for (const Compat compat : kProfiles) {
    Matrix matrix(compat, false), forgotten(compat, true);
    for (const Row& row : rows) {
      Matrix& m = std::string_view(row.rv) == "old" ? forgotten : matrix;
      EXPECT_EQ(m.List(row.rv, row.match, row.limit),
                compat == Compat::k1_36 ? row.at_1_36 : row.at_1_25_and_1_30)
          << "resourceVersion '" << row.rv << "' match '" << row.match << "' limit " << row.limit
          << " in " << api::ToString(compat);
    }
  }
}

// WATCH-04
// WATCH-05
// WATCH-06
// WATCH-09
// WATCH-24
TEST(Matrix, Watches) {
  struct Row {
    const char* rv;
    std::optional<bool> initial;
    const char *at_1_25_and_1_30, *at_1_36;
  };
  const char* refused = "422 Invalid";
  const Row rows[] = {{"", std::nullopt, "abc | d", "abc end@head | d"},
                      {"", true, refused, "abc end@head | d"},
                      {"", false, refused, "| d"},
                      {"0", std::nullopt, "abc | d", "abc end@head | d"},
                      {"0", true, refused, "abc end@head | d"},
                      {"0", false, refused, "| d"},
                      {"r1", std::nullopt, "bc | d", "bc | d"},
                      {"r1", true, refused, "abc end@head | d"},
                      {"r1", false, refused, "bc | d"},
                      {"head", std::nullopt, "| d", "| d"},
                      {"head", true, refused, "abc end@head | d"},
                      {"head", false, refused, "| d"},
                      {"future", std::nullopt, "", ""},
                      {"future", true, refused, "504 Timeout retry 1 EOF"},
                      {"future", false, refused, ""},
                      {"old", std::nullopt, "410 Expired EOF", "410 Expired EOF"},
                      {"old", true, refused, "abc end@head | d"},
                      {"old", false, refused, "410 Expired EOF"},
                      {"nine", std::nullopt, "500 -", "500 -"}};
  for (const Compat compat : kProfiles) {
    for (const Row& row : rows) {
      Matrix m(compat, std::string_view(row.rv) == "old");
      EXPECT_EQ(m.Watch(row.rv, row.initial),
                compat == Compat::k1_36 ? row.at_1_36 : row.at_1_25_and_1_30)
          << "resourceVersion '" << row.rv << "' sendInitialEvents "
          << (row.initial ? (*row.initial ? "true" : "false") : "unset") << " in "
          << api::ToString(compat);
    }
  }
}

// API-04
TEST(ResourceVersion, IsAnUnsignedDecimalOrNothing) {
  struct Row {
    const char* text;
    std::optional<std::int64_t> number;
  };
  const std::int64_t most = 9'223'372'036'854'775'807;
  for (const Row& row :
       {Row{"", 0}, Row{"0", 0}, Row{"00", 0}, Row{"7", 7}, Row{"007", 7},
        Row{"9223372036854775807", most}, Row{"18446744073709551615", most},
        Row{"18446744073709551616", std::nullopt}, Row{"+7", std::nullopt}, Row{"-7", std::nullopt},
        Row{" 7", std::nullopt}, Row{"7 ", std::nullopt}, Row{"7.0", std::nullopt},
        Row{"0x7", std::nullopt}, Row{"7e1", std::nullopt}, Row{"seven", std::nullopt}}) {
    EXPECT_EQ(ParseResourceVersion(row.text), row.number) << "'" << row.text << "'";
  }
}

}  // namespace
}  // namespace ksim::apiserver
