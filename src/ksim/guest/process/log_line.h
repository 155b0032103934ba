// LogLine: one line that a Go program wrote, and what its logging library put before the message.
#pragma once
#include <string>
#include <string_view>

namespace ksim::guest {

struct LogLine {
  LogLine() = default;
  std::string level;  // debug info warning error fatal; "" if the line does not say
  std::string place;  // FILE:LINE, the same
  std::string text;   // the whole line where its form is not known, else what is left
};

// Knows klog's header (I0102 15:04:05.000000 1 file.go:12] text), zap's console form
// (tab-separated: time, LEVEL, logger or place, text) and lines of JSON with `level` and `msg`
// (zap, slog, logrus). Times and process numbers are left out: events have their own.
//
// Source: klog/v2 klog.go formatHeader; zap zapcore/console_encoder.go.
LogLine ParseLogLine(std::string_view line);

// Cuts output into lines. A line without an end waits for it, or for `kMostBytes` of it.
class LineCutter {
 public:
  static constexpr std::size_t kMostBytes = 64 << 10;
  // Calls `take` with every line that is whole, without its end.
  template <class Take>
  void Add(std::string_view text, Take&& take) {
    rest_.append(text);
    for (;;) {
      std::size_t end = rest_.find('\n');
      const bool whole = end != std::string::npos;
      if (!whole && rest_.size() < kMostBytes) return;
      if (!whole) end = kMostBytes;
      const std::string line = rest_.substr(0, end);
      rest_.erase(0, whole ? end + 1 : end);
      take(line);
    }
  }
  std::string TakeRest() {
    std::string rest;
    rest.swap(rest_);
    return rest;
  }

 private:
  std::string rest_;
};

}  // namespace ksim::guest
