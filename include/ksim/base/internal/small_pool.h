// SmallPool: memory for small things that are made and dropped with every step of a simulation: the
// nodes of documents, shared texts, envelopes of objects.
#pragma once
#include <cstddef>

#include "ksim/base/internal/free_lists.h"

namespace ksim {

using SmallPool = FreeLists<16, 1024>;

// Pooled: `new` of a type that derives from it takes memory from the pool: struct Rep : Pooled
// {...}. A type without a virtual destructor must be deleted as the type that was made.
struct Pooled {
  static void* operator new(std::size_t bytes) { return SmallPool::Allocate(bytes); }
  static void operator delete(void* place, std::size_t bytes) noexcept {
    SmallPool::Free(place, bytes);
  }
};

}  // namespace ksim
