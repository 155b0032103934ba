// LiveLine: how far a command is, on one line of the terminal. It comes when half a second has
// passed, changes ten times a second at most, fits the terminal's width, and is gone before
// anything else is printed. Where stderr is no terminal, or a dumb one, nothing is shown.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ksim/base/os.h"
#include "ksim/base/time.h"

namespace ksim::cli {

class LiveLine {
 public:
  explicit LiveLine(int fd = 2);  // -1: shows nothing
  ~LiveLine() { Erase(); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  // Whether it is time for another text; the process that made the line is the only one that shows
  // it. It looks at the clock at each `look`-th call, so that it can be asked after every event.
  bool IsDue(std::uint32_t look = 16);
  // Replaces the line, cut to the width; not after a signal, which has its own say.
  void Show(std::string_view text);
  int columns() const { return os::TerminalColumns(fd_); }
  void Erase();

 private:
  int fd_;
  std::int64_t process_ = 0;  // 0: no terminal
  Duration next_;             // of the clock that only goes on
  std::uint32_t asked_ = 0;
};

// The first characters of a text in UTF-8, "..." for the rest if it has more than `width`.
std::string CutToWidth(std::string_view text, int width);

// "1,234,567"
std::string WithCommas(std::int64_t number);

}  // namespace ksim::cli
