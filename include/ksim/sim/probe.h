// KSIM_PROBE("watch/expired-while-queued"): marks a rare branch. Counting is per thread, so that
// several simulations side by side do not mix; every probe of the program is known from its start,
// so that those never reached can be listed. Reaching a probe changes nothing in the run.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ksim::sim {

struct ProbeCount {
  std::string_view name;
  std::uint64_t count = 0;
};

// All probes by name, with how often this thread reached them since its last ResetProbes.
std::vector<ProbeCount> Probes();
void ResetProbes();

namespace internal {

inline constexpr std::size_t kMaxProbes = 1024;
extern constinit thread_local std::uint64_t probe_counts[kMaxProbes];

std::uint32_t RegisterProbe(std::string_view name);  // numbers from 1

template <std::size_t N>
struct ProbeName {
  char text[N];
  constexpr ProbeName(const char (&literal)[N]) {  // NOLINT: implicit on purpose
    for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
  }
};

// One per name in the whole program; the number is given before main begins.
template <ProbeName kName>
struct ProbeSite {
  static inline const std::uint32_t number =
      RegisterProbe(std::string_view(kName.text, sizeof(kName.text) - 1));
};

}  // namespace internal
}  // namespace ksim::sim

#define KSIM_PROBE(name) \
  (++::ksim::sim::internal::probe_counts[::ksim::sim::internal::ProbeSite<name>::number])
