// FramePool: where what comes and goes with every step is: coroutine frames and payloads.
#pragma once
#include "ksim/base/internal/free_lists.h"

namespace ksim::sim::internal {

// In steps of a cache line: frames of nearly one size take turns in one place, which the caches
// still hold.
using FramePool = FreeLists<64, 8192>;

}  // namespace ksim::sim::internal
