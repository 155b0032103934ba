#include "ksim/controllers/nodeipam/cidr_set.h"

#include <fmt/format.h>

#include <charconv>

namespace ksim::controllers {
namespace {

constexpr std::string_view kPrefix = "10.244.";

// The number of a range that is written as ksim writes it.
std::optional<std::size_t> IndexOf(std::string_view cidr) {
  if (!cidr.starts_with(kPrefix)) return std::nullopt;
  const std::string_view rest = cidr.substr(kPrefix.size());
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
  const std::string_view tail(end, static_cast<std::size_t>(rest.data() + rest.size() - end));
  if (error != std::errc() || index > 255 || tail != ".0/24") return std::nullopt;
  return index;
}

}  // namespace

std::optional<std::string> CidrSet::AllocateNext() {
  for (std::size_t i = 0; i < kRanges; ++i) {
    const std::size_t candidate = (next_ + i) % kRanges;
    if (used_[candidate]) continue;
    used_[candidate] = true;
    next_ = (candidate + 1) % kRanges;
    return fmt::format("{}{}.0/24", kPrefix, candidate);
  }
  return std::nullopt;
}

bool CidrSet::Mark(std::string_view cidr, bool used) {
  const std::optional<std::size_t> index = IndexOf(cidr);
  if (index) used_[*index] = used;
  return index.has_value();
}

}  // namespace ksim::controllers
