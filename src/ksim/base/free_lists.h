// NOLINTFILE(ksim-threads): a thread that ends leaves its free places to those that start.
// NOLINTFILE(ksim-static): memory outlives a simulation; where something lies decides nothing.
// FreeLists: memory for what comes and goes all the time, by size, from free lists of the thread.
// Takes and gives a place in a dozen instructions; memory goes back to the list of its size and
// never to the system. Plain new and delete under ASan, and for what is larger.
//
// `step`: sizes are rounded up to its multiples. `largest`: the largest of them.
#pragma once
#include <array>
#include <cstddef>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "ksim/base/sanitizer.h"

namespace ksim {

template <std::size_t step, std::size_t largest>
class FreeLists {
 public:
  static void* Allocate(std::size_t bytes) {
    if (kAddressSanitizer || bytes > largest) return ::operator new(bytes);
    Place*& list = t_cache.lists[Class(bytes)];
    if (list == nullptr) return Carve((Class(bytes) + 1) * step);
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
  static constexpr std::size_t kSlab = std::size_t{64} * 1024;

  struct Place {
    Place* next;
  };
  static std::size_t Class(std::size_t bytes) { return (bytes - 1) / step; }

  // Free lists by size, and the unused end of the last slab. Slabs are never given back: what lies
  // in one may outlive its thread.
  struct Cache {
    std::array<Place*, largest / step> lists{};
    char* slab = nullptr;
    std::size_t left = 0;
  };
  static constinit thread_local Cache t_cache;

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
      if (left.slab != nullptr) t_cache = left;
    }
    ~ThreadTurn() { Reservoir::Get().Put(std::exchange(t_cache, {})); }
  };

  [[gnu::noinline]] static void* Carve(std::size_t bytes) {
    static thread_local ThreadTurn turn;
    if (t_cache.left < bytes) {
      t_cache.slab = static_cast<char*>(::operator new(kSlab));
      t_cache.left = kSlab;
    }
    void* place = t_cache.slab;
    t_cache.slab += bytes;
    t_cache.left -= bytes;
    return place;
  }
};

template <std::size_t step, std::size_t largest>
constinit thread_local typename FreeLists<step, largest>::Cache FreeLists<step, largest>::t_cache{};

}  // namespace ksim
