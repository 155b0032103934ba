// The operators of the grammar by their strength, and the depth of its rules.
#pragma once
#include <array>

#include "ksim/cel/syntax/ast.h"

namespace ksim::cel {

// Counts how deep a rule of the grammar is nested, for the limit.
class Depth {
 public:
  explicit Depth(int* counter) : counter_(counter) { Enter(); }
  ~Depth() { *counter_ -= entered_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  void Enter() {
    ++entered_;
    ++*counter_;
  }

 private:
  int* counter_;
  int entered_ = 0;
};

// An operator and the function that it calls.
struct Operator {
  const char* text;
  const char* function;
};
inline constexpr std::array<Operator, 6> kRelations = {{{"<", kLess},
                                                        {"<=", kLessEquals},
                                                        {">=", kGreaterEquals},
                                                        {">", kGreater},
                                                        {"==", kEquals},
                                                        {"!=", kNotEquals}}};
inline constexpr std::array<Operator, 3> kProducts = {
    {{"*", kMultiply}, {"/", kDivide}, {"%", kModulo}}};
inline constexpr std::array<Operator, 2> kSums = {{{"+", kAdd}, {"-", kSubtract}}};

}  // namespace ksim::cel
