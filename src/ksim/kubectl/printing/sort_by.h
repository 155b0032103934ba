// Order by a field: --sort-by=.metadata.name
//
// Source: kubectl pkg/cmd/get/sorter.go SortObjects, isLess.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/value/value.h"

namespace ksim::kubectl {

// The positions of the objects in the order of the field: numbers as such, texts that are
// quantities by amount, other texts bytewise; those without the field first, equals as they were
// (kubectl's sort leaves their order open). InvalidArgument for a bad path, one that no object has
// (if there are objects), and what has no order.
absl::StatusOr<std::vector<std::size_t>> OrderBy(std::string_view path,
                                                 const std::vector<value::Value>& objects);

}  // namespace ksim::kubectl
