// KSIM_CAMPAIGN_SEEDS=100000 runs as many, 5001-10000 these; the default is what a unit test can
// bear. 100,000 want a build of their own, with -DKSIM_TEST_OPTIONS=-O2.
#include "tests/apiserver/campaign.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "ksim/sim/probe.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using V = api::Variants;

struct Seeds {
  Seeds() {
    const char* given = std::getenv("KSIM_CAMPAIGN_SEEDS");
    if (given == nullptr) return;
    char* end = nullptr;
    last = std::strtoull(given, &end, 10);
    if (*end != '-') return;
    first = last;
    last = std::strtoull(end + 1, nullptr, 10);
  }
  std::uint64_t first = 1, last = 45;
};

CampaignOptions OptionsOf(std::uint64_t seed) {
  CampaignOptions options;
  options.seed = seed;
  options.compat = kProfiles[seed % 3];
  return options;
}

// WATCH-33
// WATCH-40
TEST(Campaign, NoClientGetsAWrongState) {
  const Seeds seeds;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed)
    ASSERT_EQ(RunCampaign(OptionsOf(seed)), "") << "seed " << seed;
}

// WATCH-27
// WATCH-28
TEST(Campaign, NoClientGetsAWrongStateWhereClientsStall) {
  sim::ResetProbes();
  const Seeds seeds;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    if (seed % 5 != 0) continue;  // its bursts take long
    CampaignOptions options = OptionsOf(seed);
    options.stalls = true;
    ASSERT_EQ(RunCampaign(options), "") << "seed " << seed;
  }
  std::uint64_t ended = 0;
  for (const sim::ProbeCount& probe : sim::Probes())
    if (probe.name == "apiserver/slow-watcher-ended") ended = probe.count;
  const bool some = seeds.last - seeds.first >= 44;
  EXPECT_TRUE(ended > 0 || !some);
}

// The number of seeds until a mutant is caught; 0 if it is not.
template <class Change>
int SeedsToCatch(int limit, Change change) {
  for (int seed = 1; seed <= limit; ++seed) {
    CampaignOptions options = OptionsOf(static_cast<std::uint64_t>(seed));
    change(options);
    if (!RunCampaign(options).empty()) return seed;
  }
  return 0;
}

TEST(Campaign, EveryMutantIsCaught) {
  struct Mutant {
    const char* name;
    void (*change)(CampaignOptions&);
  };
  const Mutant mutants[] = {
      {"watchcache.oldest: listRV",
       [](CampaignOptions& o) { o.variants.watchcache_oldest = V::OldestRV::kListRV; }},
      {"cacher.reinit: keepWatchers",
       [](CampaignOptions& o) { o.variants.cacher_reinit = V::Reinit::kKeepWatchers; }},
      {"event.deleteRV: objectRV",
       [](CampaignOptions& o) { o.variants.event_delete_rv = V::DeleteRV::kObjectRV; }},
      {"resume from a synthetic event",
       [](CampaignOptions& o) { o.resume_from_synthetic = true; }}};
  for (const Mutant& mutant : mutants) {
    const int seeds = SeedsToCatch(150, mutant.change);
    std::printf("%s: caught by seed %d\n", mutant.name, seeds);
    EXPECT_GT(seeds, 0) << mutant.name;
  }
}

}  // namespace
}  // namespace ksim::apiserver
