// Semantic versions as github.com/blang/semver/v4 reads and orders them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ksim::cel {

struct Semver {
  struct Identifier {
    std::optional<std::uint64_t> number;
    std::string text;
  };
  std::uint64_t major = 0, minor = 0, patch = 0;
  std::vector<Identifier> pre;

  // `normalize`: "v1.2" and leading zeros are admitted. nullopt with the library's text in `error`.
  static std::optional<Semver> Parse(std::string_view text, bool normalize, std::string* error);
  int Compare(const Semver& o) const;
};

}  // namespace ksim::cel
