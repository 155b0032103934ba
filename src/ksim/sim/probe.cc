// NOLINTFILE(ksim-static): the probes of a program are known before main, like its functions.
#include "ksim/sim/probe.h"

#include <algorithm>

#include "ksim/base/check.h"

namespace ksim::sim {
namespace {

// Filled before main begins, only read afterwards.
std::vector<std::string_view>& Names() {
  static auto* names = new std::vector<std::string_view>{""};
  return *names;
}

}  // namespace

namespace internal {

constinit thread_local std::uint64_t probe_counts[kMaxProbes] = {};

std::uint32_t RegisterProbe(std::string_view name) {
  std::vector<std::string_view>& names = Names();
  KSIM_CHECK(names.size() < kMaxProbes);
  names.push_back(name);
  return static_cast<std::uint32_t>(names.size() - 1);
}

}  // namespace internal

std::vector<ProbeCount> Probes() {
  std::vector<ProbeCount> list;
  for (std::size_t i = 1; i < Names().size(); ++i)
    list.push_back({Names()[i], internal::probe_counts[i]});
  std::sort(list.begin(), list.end(),
            [](const ProbeCount& a, const ProbeCount& b) { return a.name < b.name; });
  return list;
}

void ResetProbes() {
  std::fill(std::begin(internal::probe_counts), std::end(internal::probe_counts), 0);
}

}  // namespace ksim::sim
