// Trace: a recorded run in memory, its files, and what kubectl would have shown at any moment.
//
// Files: `.jsonl` is JSON Lines, `.ktrace` the compact binary of the same records; "-" is standard
// input or output (JSON Lines when written). A reader tells the two apart by their first bytes.
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
};

// Reads a whole trace. A cut one is read as far as it goes (Trace::missing says what is not there);
// InvalidArgument ("line 7: ...") for what is no trace; otherwise the file system's error.
absl::StatusOr<Trace> ReadTrace(const std::string& path);
absl::StatusOr<Trace> ParseTrace(std::string_view bytes);

// The bytes of a trace; binary for .ktrace, else JSON Lines.
std::string FormatTrace(const Trace& trace, bool binary);
// All or nothing. The format is by the name's end.
absl::Status WriteTrace(const Trace& trace, const std::string& path);

}  // namespace ksim::trace
