// Dice draws numbers as a function of its seed.
#pragma once
#include <cstdint>

#include "ksim/base/hash.h"

namespace ksim::altered {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t Throw(std::uint64_t n) { return Hasher().Add(seed_).Add(++thrown_).Digest() % n; }
  bool OneIn(std::uint64_t n) { return Throw(n) == 0; }

 private:
  std::uint64_t seed_;
  std::uint64_t thrown_ = 0;
};

}  // namespace ksim::altered
