// Op scripts on the store and on a slow model of it: every answer must be the same. A byte is a
// choice; the script ends with the bytes. At its end the program says how many operations it ran.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/store/script_drawer.h"

namespace {

struct Operations {
  ~Operations() { std::fprintf(stderr, "store_fuzzer: %llu operations\n", count); }
  unsigned long long count = 0;
};
Operations operations;  // NOLINT(ksim-static): over all inputs of a process

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::size_t at = 0;
  const std::string difference = ksim::store::CompareDrawnScript(
      [&](std::uint32_t n) { return at < size ? data[at++] % n : 0; },
      [&] {
        operations.count += at < size ? 1 : 0;
        return at < size;
      });
  if (difference.empty()) return 0;
  std::fputs(difference.c_str(), stderr);
  std::abort();
}
