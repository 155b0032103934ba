#include <gtest/gtest.h>

#include "ksim/scenario/load.h"

namespace ksim::scenario {
namespace {

Loaded LoadWith(std::vector<std::string> set, std::optional<std::uint64_t> seed = std::nullopt) {
  LoadOptions options;
  options.set = std::move(set);
  options.seed = seed;
  return Load({"tests/scenario/good/everything.yaml"}, options);
}

TEST(Set, ReplacesValuesBelowSpec) {
  const Loaded loaded = LoadWith({"seed=9", "spec.cluster.apiServers=3", "metadata.name=other",
                                  "steps[5].scale.replicas=7", "limit=1h", "quietFor=5s"});
  ASSERT_EQ(Render(loaded.errors, false), "");
  const Scenario& s = loaded.scenarios[0];
  EXPECT_EQ(s.seed, 9u);
  EXPECT_EQ(s.cluster.api_servers, 3);
  EXPECT_EQ(s.name, "other");
  EXPECT_EQ(s.steps[5].replicas, 7);
  EXPECT_EQ(s.limit.time, Hours(1));
  EXPECT_EQ(s.quiet_for, Seconds(5));
}

TEST(Set, SeedFlagIsSetOfTheSeed) { EXPECT_EQ(LoadWith({}, 77).scenarios[0].seed, 77u); }

TEST(Set, MakesWhatIsMissing) {
  const Loaded loaded = LoadWith({"cluster.network.latency.max=3ms"});
  ASSERT_EQ(Render(loaded.errors, false), "");
  EXPECT_EQ(loaded.scenarios[0].cluster.latency_max, Milliseconds(3));
}

TEST(Set, AVersionNeedsNoQuotes) {
  const Loaded loaded = LoadWith({"compat=1.25"});
  ASSERT_EQ(Render(loaded.errors, false), "");
  EXPECT_EQ(loaded.scenarios[0].compat, api::Compat::k1_25);
}

// Variants that the file names are repaired too; a flag that comes later is not overridden.
TEST(Set, AllVariantsOverrideWhatTheFileNames) {
  const auto variants = [](std::vector<std::string> set) {
    LoadOptions options;
    options.set = std::move(set);
    const std::string file = "scenarios/museum/b6-rs-expectations.workload.yaml";
    return Load({file}, options).scenarios.at(0).cluster.variants;
  };
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const Pairs named{{"all", "fixed"}, {"rs.expectations", "expire"}};
  const Pairs all{{"all", "fixed"}};
  EXPECT_EQ(variants({}), named);
  EXPECT_EQ(variants({"cluster.variants.all=fixed"}), all);
  EXPECT_EQ(variants({"spec.cluster.variants.all=fixed"}), all);
  EXPECT_EQ(variants({"cluster.variants.all=fixed", "cluster.variants.rs.expectations=expire"}),
            named);
}

TEST(Set, ProblemsAreShownUnderTheFlag) {
  struct Case {
    std::string set, error;
  };
  const Case cases[] = {
      {"seed", "--set seed: error: want PATH=VALUE\n"},
      {"=3", "--set =3: error: want PATH=VALUE\n"},
      {"a..b=3", "--set a..b=3: error: \"spec.a..b\" is not a path\n"},
      {"steps[99].at=1s", "--set steps[99].at=1s: error: there is no item 99 in the list of 21\n"},
      {"seed=abc",
       "--set seed=abc: error: spec.seed must be an integer, got the string \"abc\"\n"
       "      hint: write a number, as in seed: 3\n"},
      {"sede=3",
       "--set sede=3: error: unknown field \"sede\" in spec\n"
       "      hint: did you mean \"seed\"?\n"}};
  for (const Case& c : cases) EXPECT_EQ(Render(LoadWith({c.set}).errors, false), c.error) << c.set;
}

}  // namespace
}  // namespace ksim::scenario
