// Fifo<T>: a first-in-first-out queue in one piece of memory, which it keeps. A std::deque
// allocates when it is made and again and again while items pass through; most queues of a
// simulation are empty nearly always, and there are hundreds of them.
//
// Invariants
//  1. The waiting items are [head_, tail_), the oldest first, within the memory [memory_, end_).
//  2. An empty queue begins at the front of its memory: one item at a time stays in one place.
#pragma once
#include <cstddef>
#include <memory>
#include <utility>

namespace ksim::sim {

template <class T>
class Fifo {
 public:
  Fifo() = default;
  Fifo(const Fifo&) = delete;
  Fifo& operator=(const Fifo&) = delete;
  ~Fifo() {
    clear();
    GiveMemoryBack();
  }

  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return static_cast<std::size_t>(tail_ - head_); }
  const T* begin() const { return head_; }
  const T* end() const { return tail_; }

  // The i-th of those that wait, the oldest first.
  T& operator[](std::size_t i) { return head_[i]; }

  // `item` is none of those that wait.
  void Push(T&& item) {
    std::construct_at(Room(), std::move(item));
    ++tail_;
  }
  void Push(const T& item) {
    std::construct_at(Room(), item);
    ++tail_;
  }
  // The oldest; the queue must not be empty.
  T Pop() {
    T item = std::move(*head_);
    std::destroy_at(head_++);
    if (empty()) head_ = tail_ = memory_;
    return item;
  }
  // Drops all but the `count` oldest.
  void Keep(std::size_t count) {
    std::destroy(head_ + count, tail_);
    tail_ = head_ + count;
    if (empty()) head_ = tail_ = memory_;
  }
  void clear() { Keep(0); }

 private:
  T* Room() {
    if (tail_ == end_) [[unlikely]]
      MakeRoom();
    return tail_;
  }
  // At the front, if half of the memory is free there; else in twice as much memory.
  void MakeRoom() {
    const auto capacity = static_cast<std::size_t>(end_ - memory_);
    if (head_ != memory_ && size() * 2 <= capacity) return MoveTo(memory_);
    const std::size_t wanted = capacity == 0 ? 1 : capacity * 2;
    T* const memory = std::allocator<T>().allocate(wanted);
    MoveTo(memory);
    GiveMemoryBack();
    memory_ = memory;
    end_ = memory + wanted;
  }
  void MoveTo(T* place) {
    T* const end = std::uninitialized_move(head_, tail_, place);
    std::destroy(head_, tail_);
    head_ = place;
    tail_ = end;
  }
  void GiveMemoryBack() {
    if (memory_ == nullptr) return;
    std::allocator<T>().deallocate(memory_, static_cast<std::size_t>(end_ - memory_));
  }

  T* memory_ = nullptr;
  T* head_ = nullptr;
  T* tail_ = nullptr;
  T* end_ = nullptr;
};

}  // namespace ksim::sim
