#include "ksim/cli/io.h"

#include <fmt/format.h>

#include "ksim/base/os.h"

namespace ksim::cli {
namespace {

constexpr std::size_t kBufferSize = 1 << 16;

bool AutoColor(int fd) {
  const std::string no_color = os::Environment("NO_COLOR").value_or("");
  return os::IsTerminal(fd) && no_color.empty() && os::Environment("TERM").value_or("") != "dumb";
}

}  // namespace

void Io::Out(std::string_view text) {
  if (closed_) return;
  buffer_ += text;
  if (buffer_.size() >= kBufferSize) Flush();
}

void Io::Flush() {
  if (!closed_ && !buffer_.empty() && !os::WriteToDescriptor(out_, buffer_).ok()) closed_ = true;
  buffer_.clear();
}

void Io::Err(std::string_view text) {
  Flush();
  // Nobody can be told that stderr is closed.
  os::WriteToDescriptor(err_, text).IgnoreError();
}

void Io::SetColor(std::string_view when) {
  out_color_ = when == "always" || (when == "auto" && AutoColor(out_));
  err_color_ = when == "always" || (when == "auto" && AutoColor(err_));
}

std::string Paint(bool color, const char* code, std::string_view text) {
  return color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace ksim::cli
