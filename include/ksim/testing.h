// Campaigns in GoogleTest: a failure shows what was found and how to see it again.
//
//   TEST(Website, SurvivesFaults) {
//     EXPECT_TRUE(ksim::FindsNothing("shop", WebsiteRegistry()));
//   }
#pragma once
#include <gtest/gtest.h>

#include <string_view>

#include "ksim/fuzz.h"

namespace ksim {

inline ::testing::AssertionResult FindsNothing(const absl::StatusOr<FuzzResult>& result) {
  if (!result.ok()) return ::testing::AssertionFailure() << result.status().message();
  if (result->clean())
    return ::testing::AssertionSuccess() << result->runs << " runs found nothing";
  ::testing::AssertionResult failure = ::testing::AssertionFailure();
  failure << result->runs << " runs, " << result->findings.size() << " findings\n";
  for (const FuzzFinding& f : result->findings)
    failure << "\n" << f.explanation << "\nscenario.yaml:\n" << f.scenario;
  for (const std::string& text : result->undecided) failure << "\n" << text << "\n";
  return failure;
}

inline ::testing::AssertionResult FindsNothing(std::string_view name_or_text,
                                               const Registry& registry,
                                               const FuzzOptions& options = FuzzOptions()) {
  return FindsNothing(Fuzz(name_or_text, registry, options));
}

}  // namespace ksim
