#include "ksim/cli/io.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/base/os.h"
#include "ksim/base/status.h"

namespace ksim::cli {
namespace {

constexpr std::size_t kBufferSize = 1 << 16;
constexpr std::size_t kMostErrorText = 1 << 14;

// https://no-color.org, https://bixense.com/clicolors
bool AutoColor(int fd) {
  if (!os::Environment("NO_COLOR").value_or("").empty()) return false;
  const std::string force = os::Environment("CLICOLOR_FORCE").value_or("0");
  if (!force.empty() && force != "0") return true;
  return os::IsTerminal(fd) && os::Environment("TERM").value_or("") != "dumb";
}

}  // namespace

void Io::Out(std::string_view text) {
  if (closed_) return;
  wrote_ = wrote_ || !text.empty();
  buffer_ += text;
  if (buffer_.size() >= kBufferSize) Flush();
}

void Io::Flush() {
  const std::string text = std::exchange(buffer_, {});
  if (closed_ || text.empty()) return;
  const absl::Status status = os::WriteToDescriptor(out_, text);
  closed_ = !status.ok();
  if (status.ok() || os::NobodyReads(status)) return;
  write_error_ = std::string(Message(status));
}

void Io::Err(std::string_view text) {
  Flush();
  if (error_text_.size() < kMostErrorText)
    error_text_ += text.substr(0, kMostErrorText - error_text_.size());
  // There is nobody to tell that stderr is closed.
  os::WriteToDescriptor(err_, text).IgnoreError();
}

void Io::SetColor(std::string_view when) {
  out_color_ = when == "always" || (when == "auto" && AutoColor(out_));
  err_color_ = when == "always" || (when == "auto" && AutoColor(err_));
}

std::string CannotWrite(std::string_view file, const absl::Status& status) {
  return fmt::format("{}: error: cannot write it: {}\n", file, Message(status));
}

}  // namespace ksim::cli
