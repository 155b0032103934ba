// Pieces of work done at the same time by forked workers, their results taken in order.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"

namespace ksim::os {

// What became of a piece.
struct Piece {
  std::size_t number = 0;           // from 0
  std::optional<std::string> text;  // nullopt: its worker ended, with
  int exit_code = 0;                // -1: a signal
  std::string how;                  // "exit code 70"
};

// Lets `workers` forked copies of this process do pieces 0 to count-1, and calls `take` with each
// here, in their order, as early as that allows. A piece is done once: one whose worker ends has no
// text. `stop` is asked now and then; once it says true all workers are killed, and the pieces not
// taken yet are gone. An error: no process could be started.
absl::Status InOrder(std::size_t count, int workers,
                     const std::function<std::string(std::size_t)>& work,
                     const std::function<void(const Piece&)>& take,
                     const std::function<bool()>& stop);

}  // namespace ksim::os
