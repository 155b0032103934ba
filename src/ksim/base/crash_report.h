// What check.cc and crash_handlers.cc share.
#pragma once
#include <cstddef>
#include <string_view>

namespace ksim::internal {

// Writes the text of a crash into `out`, allocating nothing; returns its length. Cut at `capacity`.
std::size_t CrashReport(char* out, std::size_t capacity, std::string_view where,
                        std::string_view what, std::string_view message);

void WriteAll(int fd, std::string_view text);

}  // namespace ksim::internal
