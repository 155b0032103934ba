#include "ksim/cli/live_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include "ksim/base/os.h"
#include "ksim/cli/signals.h"

namespace ksim::cli {
namespace {

constexpr Duration kFirst = Milliseconds(500), kEvery = Milliseconds(100);
constexpr std::string_view kEraseLine = "\r\x1b[K";

bool IsLetterStart(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

}  // namespace

LiveLine::LiveLine(int fd) : fd_(fd) {
  if (!os::IsTerminal(fd) || os::Environment("TERM").value_or("dumb") == "dumb") return;
  process_ = ::getpid();
  next_ = os::MonotonicNow() + kFirst;
}

bool LiveLine::IsDue(std::uint32_t look) {
  if (process_ == 0 || asked_++ % look != 0) return false;
  return interrupted == 0 && os::MonotonicNow() >= next_ && process_ == ::getpid();
}

void LiveLine::Show(std::string_view text) {
  if (process_ == 0 || interrupted != 0) return;
  next_ = os::MonotonicNow() + kEvery;
  progress_is_shown = true;
  // The last column stays free: some terminals begin a new line there.
  os::WriteToDescriptor(
      fd_, fmt::format("{}{}", kEraseLine, CutToWidth(text, os::TerminalColumns(fd_) - 1)))
      .IgnoreError();
}

void LiveLine::Erase() {
  if (process_ != ::getpid() || !progress_is_shown.exchange(false)) return;
  os::WriteToDescriptor(fd_, kEraseLine).IgnoreError();
}

std::string CutToWidth(std::string_view text, int width) {
  const auto cut = [text](int letters) {
    std::size_t i = 0;
    while (i < text.size() && (letters > 0 || !IsLetterStart(text[i])))
      letters -= IsLetterStart(text[i++]) ? 1 : 0;
    return text.substr(0, i);
  };
  if (width <= 0) return "";
  if (cut(width).size() == text.size()) return std::string(text);
  return width <= 3 ? std::string(cut(width)) : fmt::format("{}...", cut(width - 3));
}

std::string WithCommas(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3 && digits[i - 4] != '-';) digits.insert(i -= 3, ",");
  return digits;
}

}  // namespace ksim::cli
