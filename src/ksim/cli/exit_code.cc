#include "ksim/cli/exit_code.h"

#include <algorithm>
#include <array>

namespace ksim::cli {

int Worst(const std::vector<int>& codes) {
  static constexpr std::array<int, 10> kOrder = {kInvalid,  kBug,       kDiverged,    kViolation,
                                                 kLiveness, kUndecided, kInterrupted, kTerminated,
                                                 kNothing,  kOk};
  for (int code : kOrder)
    if (std::find(codes.begin(), codes.end(), code) != codes.end()) return code;
  return codes.empty() ? kOk : *std::max_element(codes.begin(), codes.end());
}

int BisectCode(int code) {
  if (code == kOk) return 0;
  return code == kViolation || code == kLiveness ? 1 : 125;
}

}  // namespace ksim::cli
