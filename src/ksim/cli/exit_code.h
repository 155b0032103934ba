// Exit codes: docs/exit-codes.md.
#pragma once
#include <vector>

namespace ksim::cli {

inline constexpr int kOk = 0;
inline constexpr int kViolation = 1;  // or an unmet expectation, or traces differ
inline constexpr int kInvalid = 2;    // wrong usage or invalid input
inline constexpr int kLiveness = 3;
inline constexpr int kDiverged = 4;
inline constexpr int kNothing = 5;
inline constexpr int kUndecided = 6;
inline constexpr int kBug = 70;  // of ksim itself
inline constexpr int kInterrupted = 130;
inline constexpr int kTerminated = 143;

// The code that counts most: 2 (invalid input comes before anything runs) > 70 > 4 > 1 > 3 > 6 >
// 130, 143 > 5 > 0.
int Worst(const std::vector<int>& codes);
// The code for `git bisect run`: 0 for 0, 1 for 1 and 3, 125 for all others.
int BisectCode(int code);

}  // namespace ksim::cli
