// Trace: a recorded run in memory, its files, and what kubectl would have shown at any moment.
//
// Files: `.jsonl` is JSON Lines, `.ktrace` the compact binary of the same records; "-" is standard
// input or output (JSON Lines when written). A reader tells the two apart by their first bytes.
// Every line ends with a newline. Beside `end` the last one has `header`, the hash of the first: so
// that a change in it shows even where it changes nothing of the run.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/trace/header.h"
#include "ksim/trace/record.h"

namespace ksim::trace {

struct Trace {
  Trace() = default;
  Header header;
  std::vector<Record> events;
  std::optional<End> end;  // nothing: the trace is cut short
  std::string missing;     // of a cut trace: what is not there

  // The first and the last line as they were read, with whatever else stood in them; null for a
  // trace that was not read. A replay holds them against those of the run itself.
  value::Value first_line, last_line;
};

// Reads a whole trace. A cut one is read as far as it goes (Trace::missing says what is not there;
// with `end` there it lacks nothing but its last newline). InvalidArgument ("line 7: ..." or "line
// 7 column 3: ...") for what is no trace; otherwise the file system's error.
absl::StatusOr<Trace> ReadTrace(const std::string& path);
absl::StatusOr<Trace> ParseTrace(std::string_view bytes);

// The hash of a first line, which the last one holds: 16 hex digits.
std::string HashOfHeader(const value::Value& first_line);

// The last line of a trace, without its newline; `first_line` is the first one.
std::string LastLine(const std::string& first_line, const End& end);
// The bytes of a trace; binary for .ktrace, else JSON Lines.
std::string FormatTrace(const Trace& trace, bool binary);
// All or nothing. The format is by the name's end.
absl::Status WriteTrace(const Trace& trace, const std::string& path);

}  // namespace ksim::trace
