// AskCounter: how often each (site, key) has asked before, and other counts by key. An
// open-addressing table; entries are never removed and never listed, so its layout can reach
// nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ksim::sim {

class AskCounter {
 public:
  // `room`: a power of two, of which two thirds are for keys before the table grows.
  explicit AskCounter(std::size_t room = 64) : table_(room) {}

  // The count so far, and one more from now on. `mixed` stands for the key: a one-to-one mix of it
  // (for this site), which is its hash too. A pair not seen before starts at `first`.
  std::uint32_t CountUp(std::uint32_t site, std::uint64_t mixed, std::uint32_t first) {
    Entry& e = Find(site, mixed);
    if (e.count != 0) return e.count++;
    e = {mixed, site, first + 1};
    if (++used_ * 3 > table_.size() * 2) Grow();
    return first;
  }
  std::size_t size() const { return used_; }

 private:
  struct Entry {
    std::uint64_t mixed = 0;
    std::uint32_t site = 0;
    std::uint32_t count = 0;  // 0: free
  };
  Entry& Find(std::uint32_t site, std::uint64_t mixed) {
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = mixed & mask;; i = (i + 1) & mask) {
      Entry& e = table_[i];
      if (e.count == 0 || (e.mixed == mixed && e.site == site)) return e;
    }
  }
  void Grow() {
    std::vector<Entry> old(table_.size() * 2);
    old.swap(table_);
    for (const Entry& e : old) {
      if (e.count != 0) Find(e.site, e.mixed) = e;
    }
  }

  std::vector<Entry> table_;
  std::size_t used_ = 0;
};

}  // namespace ksim::sim
