// NOLINTFILE(ksim-threads): a thread that ends leaves its free places to those that start.
// NOLINTFILE(ksim-static): memory outlives a simulation; where something lies decides nothing.
#include "ksim/base/internal/free_lists.h"

#include <mutex>
#include <vector>

namespace ksim {

template <std::size_t step, std::size_t largest>
constinit thread_local typename FreeLists<step, largest>::Cache FreeLists<step, largest>::t_cache{};

// Blocks that ended threads left; threads that start take them.
template <std::size_t step, std::size_t largest>
class FreeLists<step, largest>::Reservoir {
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

template <std::size_t step, std::size_t largest>
struct FreeLists<step, largest>::ThreadTurn {
  ThreadTurn() {
    const Cache left = Reservoir::Get().Take();
    if (left.slab != nullptr) t_cache = left;
  }
  ~ThreadTurn() { Reservoir::Get().Put(std::exchange(t_cache, {})); }
};

template <std::size_t step, std::size_t largest>
void* FreeLists<step, largest>::Carve(std::size_t bytes) {
  constexpr std::size_t kSlab = std::size_t{64} * 1024;
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

template class FreeLists<16, 1024>;
template class FreeLists<64, 8192>;

}  // namespace ksim
