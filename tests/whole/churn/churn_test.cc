// KSIM_CHURN_SEEDS=100000 runs as many seeds, from KSIM_CHURN_FIRST (1) on; the default is small
// enough for a unit test.
#include "tests/whole/churn/churn.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace ksim::churn {
namespace {

using api::Compat;

constexpr Compat kCompats[] = {Compat::k1_25, Compat::k1_30, Compat::k1_36};

std::uint64_t Given(const char* variable, std::uint64_t fallback) {
  const char* given = std::getenv(variable);
  return given == nullptr ? fallback : std::strtoull(given, nullptr, 10);
}

// CLIENT-05, CLIENT-08, CLIENT-19, CLIENT-32, CLIENT-55
TEST(Churn, NoHandlerGetsAWrongStateAndAllGetTheLast) {
  const std::uint64_t first = Given("KSIM_CHURN_FIRST", 1);
  const std::uint64_t count = Given("KSIM_CHURN_SEEDS", 30);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    ChurnOptions options;
    options.seed = seed;
    options.compat = kCompats[seed % 3];
    ASSERT_EQ(RunChurn(options), "");
    if (seed % 1000 == 0) {
      std::printf("up to seed %llu\n", static_cast<unsigned long long>(seed));
      std::fflush(stdout);
    }
  }
}

// The churn shows each legal oddity of docs/requirements/guarantees.md ("What may happen"), and no
// oracle alarms. Only the DeltaFIFO of 1.25 shows a tombstone whose object is older than the
// handlers' last state.
TEST(Churn, LegalOdditiesHappenAndNoOracleAlarms) {
  std::array<std::uint64_t, kLegalRows> counts{};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    LegalRows legal;
    ChurnOptions options;
    options.seed = seed;
    options.compat = kCompats[seed % 3];
    options.legal = &legal;
    ASSERT_EQ(RunChurn(options), "");
    for (std::size_t i = 0; i < kLegalRows; ++i) counts[i] += legal.count(static_cast<Legal>(i));
  }
  for (std::size_t i = 0; i < kLegalRows; ++i) {
    const std::string_view name = NameOf(static_cast<Legal>(i));
    std::printf("%.*s: %llu times\n", static_cast<int>(name.size()), name.data(),
                static_cast<unsigned long long>(counts[i]));
    EXPECT_GT(counts[i], 0u) << name;
  }
}

struct Row {
  const char* name;
  Mutant mutant = Mutant::kNone;
  api::VariantChoice variants = {};
  int first = 0, last = 2;  // of kCompats: where the fault can be
};

// The number of seeds until an oracle catches the mutant; 0 if none does.
int SeedsToCatch(const Row& row, int limit, std::string* by) {
  for (int seed = 1; seed <= limit; ++seed) {
    ChurnOptions options;
    options.seed = static_cast<std::uint64_t>(seed);
    options.compat = kCompats[row.first + seed % (row.last - row.first + 1)];
    options.mutant = row.mutant;
    for (const auto& variant : row.variants) options.variants.push_back(variant);
    *by = RunChurn(options);
    if (!by->empty()) return seed;
  }
  return 0;
}

// G-NL3, G-NL4, G-NL6
TEST(Churn, EveryMutantIsCaught) {
  const Row rows[] = {
      {"the same version again after too large",
       Mutant::kNone,
       {{"reflector.tooLargeRV", "retrySame"}}},
      {"replace compares with the indexer only",
       Mutant::kNone,
       {{"deltafifo.replace", "indexerOnly"}},
       0,
       1},
      {"a change of uid goes unnoticed", Mutant::kUidChangeUnnoticed},
      {"bookmarks are ignored", Mutant::kBookmarkIgnored},
      {"a resync is taken for an update", Mutant::kResyncTakenForUpdate},
      {"relists without back-off", Mutant::kRelistWithoutBackoff},
  };
  for (const Row& row : rows) {
    std::string by;
    const int seeds = SeedsToCatch(row, 400, &by);
    std::printf("%s: caught by seed %d: %s\n", row.name, seeds, by.c_str());
    EXPECT_GT(seeds, 0) << row.name;
  }
}

}  // namespace
}  // namespace ksim::churn
