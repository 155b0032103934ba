// NOLINTFILE(ksim-threads): a thread that ends leaves its free frames to those that start.
// NOLINTFILE(ksim-static): memory outlives a simulation; where a frame lies decides nothing.
#include "ksim/sim/frame_pool.h"

#include <array>
#include <cstddef>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "ksim/base/sanitizer.h"
#include "ksim/sim/task.h"

namespace ksim::sim::internal {

constinit thread_local std::coroutine_handle<> next_to_resume{};

namespace {

// A cache line: frames of nearly one size take turns in one place, which the caches still hold.
constexpr std::size_t kStep = 64;
constexpr std::size_t kLargest = 8192;  // bytes; larger frames come from operator new
constexpr std::size_t kSlab = std::size_t{64} * 1024;

struct FreeFrame {
  FreeFrame* next;
};

// Free lists by size, and the unused end of the last slab. Slabs are never given back: frames come
// and go, and one may outlive its thread.
struct Cache {
  std::array<FreeFrame*, kLargest / kStep> lists{};
  char* slab = nullptr;
  std::size_t left = 0;
};

constinit thread_local Cache cache;

// What ended threads left, for those that start.
class Reservoir {
 public:
  static Reservoir& Get() {
    static Reservoir* reservoir = new Reservoir;
    return *reservoir;
  }
  void Put(const Cache& c) {
    const std::lock_guard<std::mutex> lock(mutex_);
    caches_.push_back(c);
  }
  Cache Take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (caches_.empty()) return {};
    const Cache c = caches_.back();
    caches_.pop_back();
    return c;
  }

 private:
  std::mutex mutex_;
  std::vector<Cache> caches_;
};

struct ThreadTurn {
  ThreadTurn() {
    const Cache left = Reservoir::Get().Take();
    if (left.slab != nullptr) cache = left;
  }
  ~ThreadTurn() { Reservoir::Get().Put(std::exchange(cache, {})); }
};

void* Carve(std::size_t bytes) {
  static thread_local ThreadTurn turn;
  if (cache.left < bytes) {
    cache.slab = static_cast<char*>(::operator new(kSlab));
    cache.left = kSlab;
  }
  void* frame = cache.slab;
  cache.slab += bytes;
  cache.left -= bytes;
  return frame;
}

std::size_t Class(std::size_t bytes) { return (bytes - 1) / kStep; }

}  // namespace

void* FramePool::Allocate(std::size_t bytes) {
  if (kAddressSanitizer || bytes > kLargest) return ::operator new(bytes);
  FreeFrame*& list = cache.lists[Class(bytes)];
  if (list == nullptr) return Carve((Class(bytes) + 1) * kStep);
  return std::exchange(list, list->next);
}

void FramePool::Free(void* frame, std::size_t bytes) noexcept {
  if (kAddressSanitizer || bytes > kLargest) {
    ::operator delete(frame);
    return;
  }
  FreeFrame*& list = cache.lists[Class(bytes)];
  list = ::new (frame) FreeFrame{list};
}

}  // namespace ksim::sim::internal
