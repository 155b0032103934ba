// Ref<T>: a counted reference to an immutable T that counts its own references (not atomically: one
// simulation, one thread). T has a mutable `std::uint32_t refs` and a static `Free(const T*)`.
#pragma once
#include <cstdint>
#include <utility>

namespace ksim::store {

template <class T>
class Ref {
 public:
  constexpr Ref() = default;
  explicit Ref(const T* p) noexcept : p_(p) {
    if (p_ != nullptr) ++p_->refs;
  }
  Ref(const Ref& o) noexcept : Ref(o.p_) {}
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() {
    if (p_ != nullptr && --p_->refs == 0) T::Free(p_);
  }
  const T* get() const { return p_; }
  const T* operator->() const { return p_; }
  const T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.p_ == b.p_; }

 private:
  const T* p_ = nullptr;
};

}  // namespace ksim::store
