// SHA-256 (FIPS 180-4), for what the outside expects to be hashed so. Hashes of our own are
// hash.h's.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace ksim {

std::array<std::uint8_t, 32> Sha256(std::string_view bytes);

}  // namespace ksim
