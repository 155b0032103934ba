// ReleasedBy: the deleter of a std::unique_ptr to an object of a C library, which has a function of
// its own for that.
#pragma once

namespace ksim::serve {

template <auto kFree>
struct ReleasedBy {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};

}  // namespace ksim::serve
