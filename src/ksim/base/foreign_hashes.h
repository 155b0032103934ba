// MD5 (RFC 1321) and FNV-1a of 128 bits, for what the outside orders by such hashes. Hashes of our
// own are hash.h's.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace ksim {

std::array<std::uint8_t, 16> Md5(std::string_view bytes);
std::array<std::uint8_t, 16> Fnv128a(std::string_view bytes);  // Go's hash/fnv New128a

}  // namespace ksim
