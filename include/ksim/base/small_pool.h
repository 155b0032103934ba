// SmallPool: memory for small things that are made and dropped with every step of a simulation: the
// nodes of documents, shared texts, envelopes of objects. Free lists by size, one pool a thread;
// plain new and delete under ASan.
#pragma once
#include <cstddef>

namespace ksim {

class SmallPool {
 public:
  static void* Allocate(std::size_t bytes);
  static void Free(void* place, std::size_t bytes) noexcept;  // `bytes` as given to Allocate
};

// What is made with new and comes from the pool: struct Rep : Pooled {...}. One without a virtual
// destructor is deleted as the type that was made.
struct Pooled {
  static void* operator new(std::size_t bytes) { return SmallPool::Allocate(bytes); }
  static void operator delete(void* place, std::size_t bytes) noexcept {
    SmallPool::Free(place, bytes);
  }
};

}  // namespace ksim
