// Random runs against slow oracles: the cache's lists are the replay of the store's history at
// their revision; a watch from N is the fold of the history after N, seen through its selector.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/apiserver/store_history.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;

struct Selection {
  const char* ns;
  const char* fields;
  const char* labels;
  bool Selects(const api::Object& o) const {
    if (o.empty()) return false;
    if (*ns != '\0' && o.ns() != ns) return false;
    const std::string_view f(fields);
    if (f == "spec.nodeName=n1" && o.node_name() != "n1") return false;
    if (f == "spec.nodeName=" && !o.node_name().empty()) return false;
    const std::string_view l(labels);
    return l.empty() || o.Label("tier") == "web";
  }
};
constexpr Selection kSelections[] = {{"", "", ""},
                                     {"default", "", ""},
                                     {"", "spec.nodeName=n1", ""},
                                     {"kube-system", "spec.nodeName=", ""},
                                     {"", "", "tier=web"}};

class RandomRun {
 public:
  RandomRun(std::uint64_t seed, Compat compat) : world(Seeded(seed, compat)), history(world.sim) {}
  static WorldOptions Seeded(std::uint64_t seed, Compat compat) {
    WorldOptions options(compat);
    options.seed = seed;
    return options;
  }
  std::uint32_t Draw(std::uint32_t n) {
    return world.sim.decisions().Draw(world.sim.decisions().Site("test"), 0, n);
  }
  void Write() {
    const std::string ns = Draw(2) == 0 ? "default" : "kube-system";
    const std::string name = fmt::format("p{}", Draw(5));
    switch (Draw(5)) {
      case 0:
      case 1:
        world.Create("pods", ns, Pod(ns, name));
        break;
      case 2:
        world.Bind(ns, name, fmt::format("n{}", Draw(3)));
        break;
      case 3: {
        api::DeleteOptions now;
        now.grace_period_seconds = 0;
        world.Delete("pods", ns, name, now);
        break;
      }
      default:
        world.Patch("pods", ns, name, api::PatchType::kMerge,
                    fmt::format(R"({{"metadata":{{"labels":{{"tier":"{}"}}}}}})",
                                Draw(2) == 0 ? "web" : "db"));
    }
  }
  void CheckList(const Selection& s) {
    api::ListOptions options;
    options.field_selector = s.fields;
    options.label_selector = s.labels;
    if (Draw(3) == 0) options.resource_version = "0";
    if (Draw(3) == 0 && !history.changes.empty()) {
      const auto pick = Draw(static_cast<std::uint32_t>(history.changes.size()));
      options.resource_version = std::to_string(history.changes[pick].revision);
      options.resource_version_match = Draw(2) == 0 ? "Exact" : "NotOlderThan";
    }
    const api::Response r = world.List("pods", s.ns, options);
    ASSERT_EQ(r.code, 200) << r.status.message;
    std::map<std::string, std::int64_t> expected, got;
    for (const auto& [key, o] : history.At(r.list_rv))
      if (s.Selects(o)) expected[key] = o.resource_version();
    for (const api::Object& o : r.items) got[o.key()] = o.resource_version();
    ASSERT_EQ(got, expected) << "rv " << options.resource_version << " "
                             << options.resource_version_match << " answered at " << r.list_rv;
  }
  std::vector<std::string> Fold(const Selection& s, std::int64_t after) const {
    std::vector<std::string> lines;
    for (const StoreHistory::Change& c : history.changes) {
      if (c.revision <= after) continue;
      const bool now = s.Selects(c.after), before = s.Selects(c.before);
      if (!now && !before) continue;
      const char* type = now ? (before ? "MODIFIED" : "ADDED") : "DELETED";
      lines.push_back(fmt::format("{} {} {}", type, c.key.substr(c.key.find('/') + 1), c.revision));
    }
    return lines;
  }

  World world;
  StoreHistory history;
};

class Oracle : public ::testing::TestWithParam<Compat> {};
INSTANTIATE_TEST_SUITE_P(Profiles, Oracle,
                         ::testing::Values(Compat::k1_25, Compat::k1_30, Compat::k1_36));

// API-40
// API-41
TEST_P(Oracle, EveryListIsTheReplayOfTheStoreAtItsRevision) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RandomRun run(seed, GetParam());
    for (int i = 0; i < 120; ++i) {
      run.Write();
      if (run.Draw(4) == 0) run.world.Advance(Milliseconds(run.Draw(20)));
      if (i % 3 == 0) run.CheckList(kSelections[run.Draw(5)]);
      if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << " step " << i;
    }
  }
}

// WATCH-07
// WATCH-12
// WATCH-13
// WATCH-44
TEST_P(Oracle, AWatchFromNIsTheFoldOfTheHistoryAfterN) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RandomRun run(seed, GetParam());
    struct Open {
      Selection selection;
      std::int64_t from;
      std::shared_ptr<TestWatch> watch;
    };
    std::vector<Open> open;
    for (int i = 0; i < 150; ++i) {
      run.Write();
      if (i % 10 != 0) continue;
      const Selection& s = kSelections[run.Draw(5)];
      const std::int64_t from = run.world.revision() - run.Draw(std::min(i + 1, 60));
      api::ListOptions options = Options(std::to_string(std::max<std::int64_t>(from, 5)));
      options.field_selector = s.fields;
      options.label_selector = s.labels;
      open.push_back({s, std::max<std::int64_t>(from, 5), run.world.Watch("pods", s.ns, options)});
    }
    run.world.Advance(Seconds(5));
    for (const Open& o : open) {
      ASSERT_EQ(o.watch->response.code, 200);
      ASSERT_EQ(o.watch->Lines(), run.Fold(o.selection, o.from))
          << "seed " << seed << " from " << o.from << " '" << o.selection.ns << "' '"
          << o.selection.fields << "' '" << o.selection.labels << "'";
    }
  }
}

}  // namespace
}  // namespace ksim::apiserver
