#include "ksim/sim/probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace ksim::sim {
namespace {

void Branch(bool rare) {
  if (rare) KSIM_PROBE("test/rare");
  KSIM_PROBE("test/common");
}

void NeverCalled() { KSIM_PROBE("test/never"); }

std::uint64_t Count(std::string_view name) {
  const std::vector<ProbeCount> probes = Probes();
  const auto it = std::find_if(probes.begin(), probes.end(),
                               [name](const ProbeCount& p) { return p.name == name; });
  return it == probes.end() ? ~std::uint64_t{0} : it->count;
}

TEST(Probe, CountsWhatThisThreadReached) {
  ResetProbes();
  Branch(false);
  Branch(true);
  Branch(true);
  std::thread([] {
    Branch(true);
    EXPECT_EQ(Count("test/rare"), 1u);
  }).join();
  EXPECT_EQ(Count("test/rare"), 2u);
  EXPECT_EQ(Count("test/common"), 3u);
  ResetProbes();
  EXPECT_EQ(Count("test/common"), 0u);
}

TEST(Probe, ListsThoseNeverReachedByName) {
  static_cast<void>(&NeverCalled);
  EXPECT_EQ(Count("test/never"), 0u);
  const std::vector<ProbeCount> probes = Probes();
  EXPECT_TRUE(std::is_sorted(probes.begin(), probes.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
}

// The same name in two places is one probe.
void ElsewhereCommon() { KSIM_PROBE("test/common"); }

TEST(Probe, OneNameIsOneProbe) {
  ResetProbes();
  Branch(false);
  ElsewhereCommon();
  EXPECT_EQ(Count("test/common"), 2u);
}

}  // namespace
}  // namespace ksim::sim
