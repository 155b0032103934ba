// Values of types that libraries bring: a C++ value behind a type.
#pragma once
#include <memory>
#include <utility>

#include "ksim/cel/values/val.h"

namespace ksim::cel {

// T has kTypeName, and == or an Equals of its own.
template <class T>
class OpaqueOf : public OpaqueNode {
 public:
  explicit OpaqueOf(T v) : value(std::move(v)) {}
  TypePtr type() const override { return T::CelType(); }
  Val EqualTo(const Val& other) const override {
    const T* theirs = Get(other);
    if (theirs == nullptr) return other.is_error() ? other : Val::NoSuchOverload();
    return Val::Bool(value == *theirs);
  }
  static const T* Get(const Val& v) {
    if (v.kind() != ValKind::kOpaque) return nullptr;
    const auto* node = dynamic_cast<const OpaqueOf*>(&v.opaque());
    return node == nullptr ? nullptr : &node->value;
  }

  T value;
};

template <class T>
Val MakeOpaque(T v) {
  return Val::Opaque(std::make_shared<const OpaqueOf<T>>(std::move(v)));
}
template <class T>
const T& OpaqueValue(const Val& v) {
  return *OpaqueOf<T>::Get(v);
}

}  // namespace ksim::cel
