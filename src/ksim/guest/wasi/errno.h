// The error numbers of WASI that ksim's host answers with.
#pragma once
#include <cstdint>

namespace ksim::guest {

inline constexpr std::uint16_t kSuccess = 0, kEagain = 6, kEbadf = 8, kEconnrefused = 14,
                               kEconnreset = 15, kEexist = 20, kEfault = 21, kEinval = 28,
                               kEisdir = 31, kEnoent = 44, kEnosys = 52, kEnotdir = 54,
                               kEnotempty = 55, kEnotsup = 58, kEspipe = 70;

}  // namespace ksim::guest
