// FreeLists: memory for what comes and goes all the time, by size, from free lists of the thread.
// Takes and gives a place in half a dozen instructions; memory goes back to the list of its size
// and never to the system. Plain new and delete under ASan, and for what is larger.
//
// `step`: sizes are rounded up to its multiples. `largest`: the largest of them.
#pragma once
#include <array>
#include <cstddef>
#include <new>
#include <utility>

#include "ksim/base/internal/sanitizer.h"

namespace ksim {

template <std::size_t step, std::size_t largest>
class FreeLists {
 public:
  static void* Allocate(std::size_t bytes) {
    if (kAddressSanitizer || bytes > largest) return ::operator new(bytes);
    Place*& list = t_cache.lists[Class(bytes)];
    if (list == nullptr) [[unlikely]]
      return Carve((Class(bytes) + 1) * step);
    return std::exchange(list, list->next);
  }
  // `bytes` as given to Allocate, on any thread.
  static void Free(void* place, std::size_t bytes) noexcept {
    if (kAddressSanitizer || bytes > largest) {
      ::operator delete(place);
      return;
    }
    Place*& list = t_cache.lists[Class(bytes)];
    list = ::new (place) Place{list};
  }

 private:
  struct Place {
    Place* next;
  };
  // Free lists by size, and the unused end of the last slab. Slabs are never given back: what lies
  // in one may outlive its thread.
  struct Cache {
    std::array<Place*, largest / step> lists{};
    char* slab = nullptr;
    std::size_t left = 0;
  };
  class Reservoir;
  struct ThreadTurn;

  static std::size_t Class(std::size_t bytes) { return (bytes - 1) / step; }
  static void* Carve(std::size_t bytes);

  // NOLINT(ksim-static): memory outlives a simulation; where something lies decides nothing.
  static constinit thread_local Cache t_cache;
};

// Those there are; both are made in free_lists.cc.
extern template class FreeLists<16, 1024>;  // SmallPool
extern template class FreeLists<64, 8192>;  // sim's FramePool

}  // namespace ksim
