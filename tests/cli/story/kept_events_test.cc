// `ksim run` keeps few of the events of a run. The tests count them: bytes say less.
#include <gtest/gtest.h>

#include "ksim/cli/cited_events.h"
#include "ksim/cli/story/story_events.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/runner.h"

namespace ksim::cli {
namespace {

// An idle cluster for so long.
scenario::Scenario Idle(const std::string& until) {
  scenario::LoadOptions options;
  options.read = [&until](const std::string&) -> absl::StatusOr<std::string> {
    return "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: idle}\n"
           "spec: {until: " +
           until + ", limit: {time: 100h}}\n";
  };
  return scenario::Load({"idle.yaml"}, options).scenarios.at(0);
}

template <class Taker>
void Listen(scenario::Runner& runner, Taker* taker) {
  runner.world().sim().bus().Subscribe(sim::Bus::Stage::kWriter,
                                       [taker](const sim::Event& e) { taker->Take(e); });
}

TEST(StoryEvents, HeartbeatsAreNotKept) {
  scenario::RunnerOptions options;
  options.record = false;
  StoryEvents story;
  scenario::Runner runner(Idle("1h"), std::move(options));
  Listen(runner, &story);
  runner.Run();
  EXPECT_GT(story.last_seq(), 10'000u);
  EXPECT_LT(story.Records().size(), story.last_seq() / 10);
}

TEST(StoryEvents, EveryCauseIsKnown) {
  StoryEvents story;
  scenario::Runner runner(scenario::Load({"scenarios/watch-drop.yaml"}, {}).scenarios.at(0),
                          scenario::RunnerOptions());
  Listen(runner, &story);
  runner.Run();
  ASSERT_EQ(story.last_seq(), runner.events().size());
  for (const sim::Event& e : runner.events()) ASSERT_EQ(story.CauseOf(e.seq), e.cause) << e.seq;
}

// The first event that broke a promise may lie further back than the latest that are kept.
TEST(CitedEvents, WhatLiesFarBackComesFromASecondRun) {
  const scenario::Scenario idle = Idle("40m");
  CitedEvents cited;
  scenario::Runner runner(idle, scenario::RunnerOptions());
  Listen(runner, &cited);
  runner.Run();
  const std::vector<sim::Event>& events = runner.events();
  ASSERT_GT(events.size(), 6'000u) << "more than are kept";
  std::vector<trace::Violation> violations;
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{10}, std::uint64_t{1500},
                                    std::uint64_t{events.size()}, std::uint64_t{1'000'000}}) {
    violations.emplace_back();
    violations.back().first = first;
  }
  cited.Fetch(idle, violations, [] { return false; });
  for (const std::uint64_t seq :
       {std::uint64_t{10}, std::uint64_t{1500}, std::uint64_t{events.size()}}) {
    const sim::Event* found = cited.Find(seq);
    ASSERT_NE(found, nullptr) << seq;
    EXPECT_EQ(found->seq, seq);
    EXPECT_EQ(found->content(), events[seq - 1].content());
    EXPECT_EQ(found->time, events[seq - 1].time);
  }
  EXPECT_EQ(cited.Find(0), nullptr);
  EXPECT_EQ(cited.Find(11), nullptr) << "nobody cites it";
  EXPECT_EQ(cited.Find(1'000'000), nullptr) << "there is none";
}

}  // namespace
}  // namespace ksim::cli
