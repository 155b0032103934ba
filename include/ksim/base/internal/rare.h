// Rare<T>: a part that few have. Who has none is a null pointer: small, and quick to copy and to
// end. Reading where there is none finds a T as it begins; it is made when it is first written to.
#pragma once
#include <memory>

namespace ksim {

template <class T>
class Rare {
 public:
  Rare() = default;
  Rare(const Rare& o) : part_(o.part_ == nullptr ? nullptr : std::make_unique<T>(*o.part_)) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(Rare o) noexcept {
    part_.swap(o.part_);
    return *this;
  }

  const T& operator*() const { return part_ == nullptr ? kNone : *part_; }
  const T* operator->() const { return &**this; }
  T& operator*() {
    if (part_ == nullptr) part_ = std::make_unique<T>();
    return *part_;
  }
  T* operator->() { return &**this; }

 private:
  inline static const T kNone{};
  std::unique_ptr<T> part_;
};

}  // namespace ksim
