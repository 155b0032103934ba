#include "ksim/fuzz/corpus.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/fuzz/campaign.h"
#include "ksim/fuzz/coverage.h"
#include "ksim/fuzz/run.h"
#include "tests/fuzz/worlds.h"

namespace ksim::fuzz {
namespace {

using scenario::Scenario;

std::string FreshDirectory(const std::string& name) {
  const std::string dir = testing::TempDir() + "corpus-" + name;
  const absl::StatusOr<std::vector<std::string>> names = os::ListDirectory(dir);
  if (names.ok())
    for (const std::string& file : *names) KSIM_CHECK(os::RemoveFile(dir + "/" + file).ok());
  return dir;
}

std::map<std::string, std::string> FilesOf(const std::string& dir) {
  std::map<std::string, std::string> out;
  const std::vector<std::string> names = *os::ListDirectory(dir);
  for (const std::string& name : names) out[name] = *os::ReadFile(dir + "/" + name);
  return out;
}

Scenario KeptWorld() {
  Scenario s = ExpiredExpectations("[dropWatch, delayStream]");
  s.fuzz.window = Seconds(30);
  return s;
}

struct CorpusRun {
  Tally tally;
  std::uint64_t began_with = 0, foreign = 0, kept = 0, dropped = 0;
};

CorpusRun RunWith(const Scenario& s, const std::string& dir, std::uint64_t first,
                  std::uint64_t last, int jobs = 0) {
  Corpus corpus = *Corpus::Open(dir, s);
  CampaignOptions options;
  options.plan.strategy = "coverage";
  options.plan.corpus = &corpus;
  options.first = first;
  options.last = last;
  const std::unique_ptr<Executor> executor =
      jobs == 0 ? MakeInProcess(s, std::nullopt) : *MakeWorkers(s, Seconds(60), jobs);
  CorpusRun done;
  done.tally = Campaign::Make(s, *executor, options)->Execute();
  done.began_with = corpus.known().size();
  done.foreign = corpus.foreign().size();
  done.kept = corpus.kept();
  done.dropped = corpus.dropped();
  EXPECT_EQ(Message(corpus.status()), "");
  return done;
}

TEST(Corpus, FUZZ_02_TheNextCampaignBeginsWithWhatOneKept) {
  const std::string dir = FreshDirectory("next");
  const Scenario s = KeptWorld();
  const CorpusRun first = RunWith(s, dir, 1, 12);
  EXPECT_GT(first.kept, 1u);
  EXPECT_EQ(FilesOf(dir).size(), first.kept);
  const CorpusRun second = RunWith(s, dir, 13, 20);
  EXPECT_EQ(second.began_with, first.kept);
  EXPECT_EQ(second.foreign, 0u);
  EXPECT_EQ(second.tally.runs, 8u) << "what is known is not run again";
  // The second campaign finds nothing new in what the first one reached.
  std::set<std::uint64_t> pairs;
  const Corpus corpus = *Corpus::Open(dir, s);
  for (const CorpusEntry& known : corpus.known())
    for (const std::uint64_t pair : known.pairs) EXPECT_TRUE(pairs.insert(pair).second);
}

TEST(Corpus, FUZZ_02_IsTheSameForAnyNumberOfWorkers) {
  const Scenario s = KeptWorld();
  const std::string alone = FreshDirectory("alone"), two = FreshDirectory("two");
  RunWith(s, alone, 1, 10);
  RunWith(s, two, 1, 10, 2);
  EXPECT_EQ(FilesOf(two), FilesOf(alone));
}

// The run of an entry reaches what the entry says that it was the first to reach.
TEST(Corpus, AnEntrysRunReachesWhatItClaims) {
  const std::string dir = FreshDirectory("claims");
  Scenario s = KeptWorld();
  RunWith(s, dir, 1, 12);
  Runs runs(s);
  std::set<std::uint64_t> reached;  // a process tells what it has not told before
  const Corpus corpus = *Corpus::Open(dir, s);
  for (const CorpusEntry& entry : corpus.known()) {
    const RunOutcome outcome = runs.Do(entry.ToJob());
    reached.insert(outcome.coverage.begin(), outcome.coverage.end());
    for (const std::uint64_t pair : entry.pairs) EXPECT_TRUE(reached.contains(pair));
  }
}

TEST(Corpus, FUZZ_03_InputsOfAnotherScenarioAreRunAgain) {
  const std::string dir = FreshDirectory("foreign");
  const CorpusRun first = RunWith(KeptWorld(), dir, 1, 12);
  Scenario other = KeptWorld();
  other.fuzz.settle = Minutes(11);
  const CorpusRun second = RunWith(other, dir, 1, 1);
  EXPECT_EQ(second.began_with, 0u);
  EXPECT_EQ(second.foreign, first.kept);
  EXPECT_EQ(second.tally.runs, first.kept + 1);
  EXPECT_EQ(Corpus::Open(dir, other)->foreign().size(), 0u) << "they are of this scenario now";
  EXPECT_EQ(FilesOf(dir).size(), second.kept) << "what adds nothing is gone";
  EXPECT_EQ(first.kept + 1, second.kept + second.dropped + (second.kept > first.kept ? 0 : 1));
}

TEST(Corpus, WhatAddsNothingGoes) {
  const std::string dir = FreshDirectory("superfluous");
  const Scenario s = KeptWorld();
  {
    Corpus corpus = *Corpus::Open(dir, s);
    CorpusEntry entry;
    entry.seed = 1;
    entry.strategy = "swarm";
    entry.pairs = {1, 2, 3};
    corpus.Keep(entry);
    entry.seed = 2;
    corpus.Keep(entry);
    entry.seed = 3;
    entry.pairs = {4};
    corpus.Keep(entry);
  }
  const Corpus corpus = *Corpus::Open(dir, s);
  EXPECT_EQ(corpus.known().size(), 2u);
  EXPECT_EQ(corpus.dropped(), 1u);
  EXPECT_EQ(FilesOf(dir).size(), 2u);
}

TEST(Corpus, RefusesWhatIsNoInput) {
  const std::string dir = FreshDirectory("bad");
  const Scenario s = KeptWorld();
  ASSERT_TRUE(Corpus::Open(dir, s).ok());
  const auto refused = [&] { return std::string(Message(Corpus::Open(dir, s).status())); };
  ASSERT_TRUE(os::WriteFile(dir + "/a.json", "{\"kind\": \"FuzzResult\"}").ok());
  EXPECT_EQ(refused(), "a.json is no input that ksim fuzz kept");
  ASSERT_TRUE(os::WriteFile(dir + "/a.json",
                            R"({"kind": "FuzzInput", "seed": "1", "strategy": "swarm",
                                "answers": [], "pairs": [], "probes": []})")
                  .ok());
  EXPECT_EQ(refused().find("a.json was changed: its input belongs to "), 0u) << refused();
}

}  // namespace
}  // namespace ksim::fuzz
