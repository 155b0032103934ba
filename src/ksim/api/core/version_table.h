// Tables with one column a version of Kubernetes, as the profiles of the components are.
#pragma once
#include <cstddef>
#include <iterator>

#include "ksim/api/compat.h"

namespace ksim::api {

// The column of that version. A table that lacks a version, because a new one was added to
// compat.h, does not compile.
template <class T, std::size_t count>
constexpr const T& ColumnOf(const T (&columns)[count], Compat compat) {
  static_assert(count == std::size(kCompats), "each version has a column");
  return columns[static_cast<std::size_t>(compat)];
}

}  // namespace ksim::api
