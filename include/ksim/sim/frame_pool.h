// FramePool: free lists by size, one pool a thread, for what comes and goes with every step:
// coroutine frames and payloads. Plain new and delete under ASan.
#pragma once
#include <cstddef>

namespace ksim::sim::internal {

class FramePool {
 public:
  static void* Allocate(std::size_t bytes);
  static void Free(void* frame, std::size_t bytes) noexcept;
};

}  // namespace ksim::sim::internal
