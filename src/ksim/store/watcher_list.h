// WatcherList: watchers in the order in which they were appended, threaded through the watchers
// themselves, so that appending and removing allocate nothing and take no search. A watcher is on
// one list at a time: that of its state.
#pragma once
#include <cstddef>

#include "ksim/store/watcher.h"

namespace ksim::store {

class WatcherList {
 public:
  bool empty() const { return first_ == nullptr; }
  std::size_t size() const { return size_; }
  Watcher* first() const { return first_; }  // null: empty; the others by Watcher::next

  void Append(Watcher* w) {
    w->previous = last_;
    w->next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = w;
    last_ = w;
    ++size_;
  }
  void Remove(Watcher* w) {
    (w->previous == nullptr ? first_ : w->previous->next) = w->next;
    (w->next == nullptr ? last_ : w->next->previous) = w->previous;
    --size_;
  }

 private:
  Watcher* first_ = nullptr;
  Watcher* last_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ksim::store
