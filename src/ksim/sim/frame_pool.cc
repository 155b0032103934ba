#include "ksim/sim/frame_pool.h"

#include "ksim/base/free_lists.h"
#include "ksim/sim/task.h"

namespace ksim::sim::internal {

// NOLINT(ksim-static): null between steps.
constinit thread_local std::coroutine_handle<> next_to_resume{};

namespace {
// A cache line: frames of nearly one size take turns in one place, which the caches still hold.
using Frames = FreeLists<64, 8192>;
}  // namespace

void* FramePool::Allocate(std::size_t bytes) { return Frames::Allocate(bytes); }

void FramePool::Free(void* frame, std::size_t bytes) noexcept { Frames::Free(frame, bytes); }

}  // namespace ksim::sim::internal
