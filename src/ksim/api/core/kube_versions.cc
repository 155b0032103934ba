// HasPriorityOver of ksim/api/kinds.h: the order of versions that kubectl prefers.
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "ksim/api/kinds.h"

namespace ksim::api {
namespace {

// A version of the form v1, v2beta3 or v1alpha1, by its rank: what counts more comes first.
struct KubeVersion {
  enum Stability : std::uint8_t { kAlpha, kBeta, kStable };
  Stability stability = kStable;
  std::uint64_t major = 0, minor = 0;
  auto operator<=>(const KubeVersion&) const = default;
};

// Takes a number off the front.
std::optional<std::uint64_t> TakeNumber(std::string_view* text) {
  std::size_t digits = 0;
  while (digits < text->size() && (*text)[digits] >= '0' && (*text)[digits] <= '9') ++digits;
  std::uint64_t number = 0;
  if (!absl::SimpleAtoi(std::string(text->substr(0, digits)), &number)) return std::nullopt;
  text->remove_prefix(digits);
  return number;
}

std::optional<KubeVersion> ParseKubeVersion(std::string_view text) {
  if (!text.starts_with("v")) return std::nullopt;
  text.remove_prefix(1);
  KubeVersion version;
  const std::optional<std::uint64_t> major = TakeNumber(&text);
  if (!major) return std::nullopt;
  version.major = *major;
  if (text.empty()) return version;
  version.stability = text.starts_with("beta") ? KubeVersion::kBeta : KubeVersion::kAlpha;
  const std::string_view word = version.stability == KubeVersion::kBeta ? "beta" : "alpha";
  if (!text.starts_with(word)) return std::nullopt;
  text.remove_prefix(word.size());
  const std::optional<std::uint64_t> minor = TakeNumber(&text);
  if (!minor || !text.empty()) return std::nullopt;
  version.minor = *minor;
  return version;
}

}  // namespace

bool HasPriorityOver(std::string_view a, std::string_view b) {
  const std::optional<KubeVersion> x = ParseKubeVersion(a);
  const std::optional<KubeVersion> y = ParseKubeVersion(b);
  if (x && y) return *x > *y;
  return x || y ? x.has_value() : a < b;
}

}  // namespace ksim::api
