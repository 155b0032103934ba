// A swarm run that leaves some sites alone, and is that of its seed otherwise.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "ksim/fuzz/strategy.h"

namespace ksim::fuzz {

// `without`: hashes of sites' names.
std::shared_ptr<Strategy> MakeSwarmWithout(std::uint64_t seed, bool may_order,
                                           const std::vector<std::uint64_t>& without);

}  // namespace ksim::fuzz
