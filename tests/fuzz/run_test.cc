#include "ksim/fuzz/run.h"

#include <gtest/gtest.h>

#include "ksim/scenario/runner.h"
#include "tests/fuzz/worlds.h"

namespace ksim::fuzz {
namespace {

RunSetup SetupOf(const char* strategy, std::uint64_t seed) {
  RunSetup setup;
  setup.strategy.emplace();
  setup.strategy->name = strategy;
  setup.strategy->seed = seed;
  return setup;
}

std::string TextOf(const RunOutcome& o) {
  std::string out = fmt::format("{} {} {} {}", o.code, o.events, o.steps, o.lasted.ns());
  for (const sim::Decision& d : o.decisions)
    out += fmt::format("\n{} {} {}", d.site, d.key, d.answer);
  for (const CampaignFinding& f : o.findings) out += fmt::format("\n{}: {}", f.Key(), f.message);
  return out;
}

// A campaign computes no digest for a run that it does not compare, and skips the events that only
// the digest reads. The run itself is the same.
TEST(Run, IsTheSameWithAndWithoutADigest) {
  scenario::Scenario s = ExpiredExpectations("[\"*\"]");
  s.fuzz.window = Minutes(1);
  for (const char* strategy : {"nominal", "random", "swarm", "pct"}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      s.seed = seed;
      RunSetup setup = SetupOf(strategy, seed);
      const RunOutcome without = (*Run::Make(s, setup))->Execute();
      setup.digest = true;
      const RunOutcome with = (*Run::Make(s, setup))->Execute();
      setup.digest = false;
      setup.record = true;  // has a digest for its trace
      const RunOutcome recorded = (*Run::Make(s, setup))->Execute();
      EXPECT_EQ(without.digest, "");
      EXPECT_EQ(with.digest.size(), 32u);
      EXPECT_EQ(recorded.digest, with.digest);
      EXPECT_EQ(TextOf(without), TextOf(with)) << strategy << " " << seed;
      EXPECT_EQ(TextOf(recorded), TextOf(with)) << strategy << " " << seed;
    }
  }
}

TEST(Run, ThatIsDoneTwiceIsCompared) {
  Runs runs(ExpiredExpectations(), std::nullopt);
  Job job;
  job.number = job.seed = 3;
  job.strategy = *SetupOf("swarm", 3).strategy;
  EXPECT_EQ(runs.Do(job).digest, "");
  job.twice = true;
  const RunOutcome compared = runs.Do(job);
  EXPECT_EQ(compared.digest.size(), 32u);
  EXPECT_NE(compared.code, kNotDeterministic);
}

}  // namespace
}  // namespace ksim::fuzz
