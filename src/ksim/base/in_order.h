// Pieces of work done at the same time by forked workers, their results taken in order.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "ksim/base/time.h"

namespace ksim::os {

// The result of one piece of work.
struct Piece {
  std::size_t number = 0;           // from 0
  std::optional<std::string> text;  // nullopt: its worker ended, with
  int exit_code = 0;                // -1: a signal
  std::string how;                  // "exit code 70"
};

// Lets `workers` forked copies of this process do pieces 0 to count-1, and calls `take` with each
// here, in their order, as early as that allows. A piece is done once: one whose worker ends has no
// text. `stop` is asked now and then for the signal that came, 0 if none did. Then nothing new is
// begun; whoever works is sent that signal, too, and has kGrace to be done with what it does. What
// is done then is handed over, gaps are left out. An error: no process could be started.
inline constexpr Duration kGrace = Seconds(2);
absl::Status InOrder(std::size_t count, int workers,
                     const std::function<std::string(std::size_t)>& work,
                     const std::function<void(const Piece&)>& take,
                     const std::function<int()>& stop);

}  // namespace ksim::os
