// MD5 (RFC 1321), FNV-1 of 32 bits and FNV-1a of 32 and 128 bits, for what the outside names or
// orders by such hashes. Hashes of our own are hash.h's.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace ksim {

std::array<std::uint8_t, 16> Md5(std::string_view bytes);
std::uint32_t Fnv32(std::string_view bytes);                   // Go's hash/fnv New32
std::uint32_t Fnv32a(std::string_view bytes);                  // Go's hash/fnv New32a
std::array<std::uint8_t, 16> Fnv128a(std::string_view bytes);  // Go's hash/fnv New128a

}  // namespace ksim
