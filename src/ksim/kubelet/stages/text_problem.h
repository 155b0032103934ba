// TextProblem: what is wrong with an expression or a template, and where in its text.
#pragma once
#include <cstddef>
#include <string>

namespace ksim::kubelet {

struct TextProblem {
  std::size_t offset = 0;  // in bytes, from the start of the text
  std::string message;     // small letter, no full stop
  std::string hint;        // "" = none
};

}  // namespace ksim::kubelet
