#include "ksim/fuzz/delta_debugging.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace ksim::fuzz {
namespace {

// Decisions "kind/1", "kind/2", ... each with an answer of five.
Decisions Some(int count, std::uint32_t answer, const std::string& kind = "delay") {
  Decisions out;
  for (int i = 1; i <= count; ++i) {
    sim::Decision d;
    d.site = kind + "/" + std::to_string(i);
    d.answer = answer;
    d.n = 6;
    out.push_back(d);
  }
  return out;
}

bool Has(const Decisions& all, const std::string& site, std::uint32_t least = 1) {
  return std::any_of(all.begin(), all.end(),
                     [&](const sim::Decision& d) { return d.site == site && d.answer >= least; });
}

// A failure given by a predicate, which counts how often it was asked.
struct CountedFailure {
  Reproduces Shown() {
    return [this](const Decisions& d) -> std::optional<Decisions> {
      ++runs;
      if (runs > most || !fails(d)) return std::nullopt;
      return d;
    };
  }
  std::function<bool(const Decisions&)> fails;
  int runs = 0, most = 1000;
};

TEST(MinimalDecisions, TheTwoOfAHundredThatItTakes) {
  CountedFailure f;
  f.fails = [](const Decisions& d) { return Has(d, "delay/17") && Has(d, "delay/80"); };
  const Decisions left = MinimalDecisions(Some(100, 3), f.Shown());
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].site, "delay/17");
  EXPECT_EQ(left[1].site, "delay/80");
  EXPECT_EQ(left[0].answer, 1u);
  EXPECT_LT(f.runs, 100);
}

TEST(MinimalDecisions, IsEmptyIfTheRunFailsWithoutDecisions) {
  CountedFailure f;
  f.fails = [](const Decisions&) { return true; };
  EXPECT_TRUE(MinimalDecisions(Some(20, 1), f.Shown()).empty());
  EXPECT_EQ(f.runs, 1);
}

TEST(MinimalDecisions, OneLongFaultForManyShortOnes) {
  CountedFailure f;
  f.fails = [](const Decisions& all) {
    const auto sum = [](std::uint32_t s, const sim::Decision& d) { return s + d.answer; };
    return std::accumulate(all.begin(), all.end(), 0u, sum) >= 4;
  };
  const Decisions left = MinimalDecisions(Some(4, 1), f.Shown());
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].answer, 4u) << "and no longer than it must be";
}

TEST(MinimalDecisions, TwoLongOnesWhereOneWillNotDo) {
  CountedFailure f;
  f.fails = [](const Decisions& all) {
    const auto sum = [](std::uint32_t s, const sim::Decision& d) { return s + d.answer; };
    return std::accumulate(all.begin(), all.end(), 0u, sum) >= 8;
  };
  EXPECT_EQ(MinimalDecisions(Some(8, 1), f.Shown()).size(), 2u);
}

TEST(MinimalDecisions, WhatItWasWhenNoRunIsLeft) {
  CountedFailure f;
  f.most = 0;
  f.fails = [](const Decisions&) { return true; };
  EXPECT_EQ(MinimalDecisions(Some(8, 1), f.Shown()).size(), 8u);
}

// A run without one kind of decision may ask other questions; the decisions that the run took are
// the result.
TEST(WithoutUnneeded, WhatWasNotTakenIsGone) {
  const Reproduces shows = [](const Decisions& all) -> std::optional<Decisions> {
    Decisions taken;
    for (const sim::Decision& d : all)
      if (d.site != "delay/2") taken.push_back(d);
    if (!Has(taken, "delay/1")) return std::nullopt;
    return taken;
  };
  const Decisions left = WithoutUnneeded(Some(2, 1), shows);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].site, "delay/1");
}

}  // namespace
}  // namespace ksim::fuzz
