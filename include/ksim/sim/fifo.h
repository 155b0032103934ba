// Fifo<T>: a first-in-first-out queue in one piece of memory, which it keeps. A std::deque
// allocates when it is made and again and again while items pass through; most queues of a
// simulation are empty nearly always, and there are hundreds of them.
//
// Invariants
//  1. items_[head_..] are the waiting items, the oldest first; those before it are moved from.
//  2. No more than half of items_ is moved from, beyond kSlack.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

namespace ksim::sim {

template <class T>
class Fifo {
 public:
  bool empty() const { return head_ == items_.size(); }
  std::size_t size() const { return items_.size() - head_; }
  auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(head_); }
  auto end() const { return items_.end(); }

  // The i-th of those that wait, the oldest first.
  T& operator[](std::size_t i) { return items_[head_ + i]; }

  void Push(T&& item) { items_.push_back(std::move(item)); }
  void Push(const T& item) { items_.push_back(item); }
  // The oldest; the queue must not be empty.
  T Pop() {
    T item = std::move(items_[head_++]);
    if (head_ == items_.size()) {
      clear();
    } else if (head_ > kSlack && head_ * 2 > items_.size()) {
      items_.erase(items_.begin(), begin());
      head_ = 0;
    }
    return item;
  }
  // Drops all but the `count` oldest.
  void Keep(std::size_t count) {
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(head_ + count), items_.end());
  }
  void clear() {
    items_.clear();
    head_ = 0;
  }

 private:
  static constexpr std::size_t kSlack = 32;
  std::vector<T> items_;
  std::size_t head_ = 0;
};

}  // namespace ksim::sim
