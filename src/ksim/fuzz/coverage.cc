#include "ksim/fuzz/coverage.h"

#include <algorithm>

#include "ksim/sim/mix.h"

namespace ksim::fuzz {

Coverage::Coverage(sim::Bus& bus) {
  bus.Subscribe(sim::Bus::Stage::kOracle, [this](const sim::Event& e) {
    if (e.object == 0) return;
    const std::uint64_t now = sim::Mix(e.actor.name_hash() + static_cast<std::uint64_t>(e.kind));
    std::uint64_t& last = last_[e.object];
    pairs_.insert(sim::Mix(last + 1) ^ now);
    last = now;
  });
}

std::vector<std::uint64_t> Coverage::Pairs() const {
  std::vector<std::uint64_t> out(pairs_.begin(), pairs_.end());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace ksim::fuzz
