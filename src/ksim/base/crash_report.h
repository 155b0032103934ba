// How a process that must end does it: what check.cc, crash_handlers.cc and those who look at
// workers share.
#pragma once
#include <cstddef>
#include <string_view>

namespace ksim {

// Undecided (docs/exit-codes.md): a lack of memory is neither a bug nor a violation.
inline constexpr int kOutOfMemoryExitCode = 6;

}  // namespace ksim

namespace ksim::internal {

// Writes the text of a crash into `out`, allocating nothing; returns its length. Cut at `capacity`.
std::size_t CrashReport(char* out, std::size_t capacity, std::string_view where,
                        std::string_view what, std::string_view message);

void WriteAll(int fd, std::string_view text);

}  // namespace ksim::internal
