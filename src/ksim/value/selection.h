// Paths that select: beside the steps that Path::Parse takes, [-1] is the last item of a list, [-2]
// the one before it, [*] each of them, and a leading @ the tree itself, as in kubectl's jsonpath.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/value/value.h"

namespace ksim::value {

// A PathStep::index above this counts from the end; no list is so long.
inline constexpr std::uint32_t kEachItem = std::uint32_t{1} << 31;

// The place in a list of `size` items; `size` or more if there is none. `index` is not kEachItem.
inline std::size_t ItemAt(std::uint32_t index, std::size_t size) {
  if (index < kEachItem) return index;
  const std::size_t from_end = std::uint64_t{std::numeric_limits<std::uint32_t>::max()} - index + 1;
  return from_end > size ? size : size - from_end;
}

absl::StatusOr<Path> ParseSelection(std::string_view text);
// All values that the path leads to, in order.
std::vector<const Value*> Select(const Value& tree, const Path& path);

}  // namespace ksim::value
