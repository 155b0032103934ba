#include "ksim/fuzz/run_outcome.h"

#include <gtest/gtest.h>

namespace ksim::fuzz {
namespace {

RunOutcome Full() {
  RunOutcome o;
  o.number = 7;
  o.seed = 8;
  o.code = kLiveness;
  CampaignFinding f;
  f.oracle = "esr";
  f.place = "replicasets/default/web";
  f.message = std::string("with a \0 in it", 14);
  f.objects = {"a", ""};
  f.safety = false;
  o.findings = {f, f};
  o.digest = "0123";
  o.events = 12345678901;
  o.steps = 3;
  o.lasted = Minutes(40);
  o.faults = {{"delay", 2}, {"fault.crash", 0}};
  o.decisions = {{"delay/a/b/pods", ~std::uint64_t{0}, 6, 7}};
  o.coverage = {1, 2, 3};
  o.probes = {"watch/expired"};
  o.applied = {0, 4};
  o.judged = true;
  o.failed_steps.resize(1);
  o.failed_steps[0].number = 3;
  o.failed_steps[0].error = "no";
  return o;
}

TEST(RunOutcome, CrossesThePipeWhole) {
  const std::string bytes = Encode(Full());
  const absl::StatusOr<RunOutcome> back = DecodeOutcome(bytes);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(Encode(*back), bytes);
  EXPECT_EQ(back->findings.at(1).message, Full().findings[1].message);
  EXPECT_EQ(back->decisions.at(0).key, ~std::uint64_t{0});
  EXPECT_EQ(back->decisions.at(0).n, 7u);
  EXPECT_EQ(back->lasted, Minutes(40));
  EXPECT_FALSE(back->findings.at(0).safety);
  EXPECT_TRUE(back->judged);
  EXPECT_EQ(back->failed_steps.at(0).number, 3);
}

TEST(RunOutcome, CutAnywhereItIsRefused) {
  const std::string bytes = Encode(Full());
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_FALSE(DecodeOutcome(std::string_view(bytes).substr(0, n)).ok()) << n;
  EXPECT_FALSE(DecodeOutcome(bytes + "x").ok());
}

TEST(Jobs, CrossThePipeWhole) {
  Job job;
  job.number = 3;
  job.seed = 4;
  job.strategy.name = "answers";
  job.strategy.seed = 5;
  job.strategy.params = ToParams({{1, 2, 3}});
  job.twice = true;
  const std::string bytes = Encode(std::vector<Job>{job, Job()});
  const absl::StatusOr<std::vector<Job>> back = DecodeJobs(bytes);
  ASSERT_TRUE(back.ok());
  ASSERT_EQ(back->size(), 2u);
  EXPECT_EQ(Encode(*back), bytes);
  EXPECT_TRUE(back->at(0).strategy.params == job.strategy.params);
}

}  // namespace
}  // namespace ksim::fuzz
