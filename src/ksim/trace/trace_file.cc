#include <fmt/format.h>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/trace/binary.h"
#include "ksim/trace/record.h"
#include "ksim/trace/trace.h"
#include "ksim/value/json.h"

namespace ksim::trace {
namespace {

using value::Value;

std::string WhatIsMissing(const Trace& trace, std::string_view where) {
  return fmt::format("{}; {} event{} can be read, the last line (digest and result) is missing",
                     where, trace.events.size(), trace.events.size() == 1 ? "" : "s");
}

absl::Status Bad(std::size_t line, std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("line {}: {}", line, what));
}

// Events must follow one another without gaps.
absl::Status Append(Trace* trace, Record record, std::size_t line) {
  const std::uint64_t expected = trace->events.size() + 1;
  if (record.seq != expected)
    return Bad(line, fmt::format("seq {} where {} was expected", record.seq, expected));
  trace->events.push_back(std::move(record));
  return absl::OkStatus();
}

// One line after the first.
absl::Status TakeLine(Trace* trace, const Value& json, std::size_t line) {
  if (trace->end) return Bad(line, "text after the last line");
  if (json.Has("end")) {
    absl::StatusOr<End> end = ParseEnd(json);
    if (!end.ok()) return Bad(line, Message(end.status()));
    if (end->events != trace->events.size())
      return Bad(line, fmt::format("the last line counts {} events, there are {}", end->events,
                                   trace->events.size()));
    trace->end = *std::move(end);
    return absl::OkStatus();
  }
  absl::StatusOr<Record> record = ParseRecord(json);
  if (!record.ok()) return Bad(line, Message(record.status()));
  return Append(trace, *std::move(record), line);
}

absl::StatusOr<Trace> ParseLines(std::string_view text) {
  Trace trace;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const bool whole = newline != std::string_view::npos;
    const std::string_view line = text.substr(0, newline);
    text.remove_prefix(whole ? newline + 1 : text.size());
    ++number;
    const absl::StatusOr<Value> json = value::ParseJson(line);
    if (!json.ok()) {
      if (whole || number == 1) return Bad(number, Message(json.status()));
      trace.missing = WhatIsMissing(trace, fmt::format("cut in the middle of line {}", number));
      return trace;
    }
    if (number == 1) {
      absl::StatusOr<Header> header = ParseHeader(*json);
      if (!header.ok()) return Bad(1, Message(header.status()));
      trace.header = *std::move(header);
    } else {
      RETURN_IF_ERROR(TakeLine(&trace, *json, number));
    }
  }
  if (number == 0) return absl::InvalidArgumentError("there is nothing in it");
  if (!trace.end) trace.missing = WhatIsMissing(trace, fmt::format("cut after line {}", number));
  return trace;
}

absl::StatusOr<Trace> ParseBinary(std::string_view bytes) {
  Trace trace;
  BinaryReader reader(bytes);
  bool header = false;
  for (std::size_t number = 1;; ++number) {
    const BinaryReader::Item item = reader.Next();
    switch (item) {
      case BinaryReader::Item::kHeader:
      case BinaryReader::Item::kEnd: {
        const absl::StatusOr<Value> json = value::ParseJson(reader.line());
        if (!json.ok()) return Bad(number, Message(json.status()));
        if (item == BinaryReader::Item::kEnd) {
          RETURN_IF_ERROR(TakeLine(&trace, *json, number));
          break;
        }
        absl::StatusOr<Header> parsed = ParseHeader(*json);
        if (!parsed.ok()) return Bad(number, Message(parsed.status()));
        trace.header = *std::move(parsed);
        header = true;
        break;
      }
      case BinaryReader::Item::kEvent:
        RETURN_IF_ERROR(Append(&trace, reader.TakeRecord(), number));
        break;
      case BinaryReader::Item::kNothing:
      case BinaryReader::Item::kCut:
        if (!header) return absl::InvalidArgumentError("cut before the end of its header");
        if (!trace.end) trace.missing = WhatIsMissing(trace, "cut short");
        return trace;
      case BinaryReader::Item::kCorrupt:
        return Bad(number, "not what a .ktrace can hold");
    }
  }
}

}  // namespace

absl::StatusOr<Trace> ParseTrace(std::string_view bytes) {
  if (bytes.starts_with(kBinaryMagic)) return ParseBinary(bytes);
  return ParseLines(bytes);
}

absl::StatusOr<Trace> ReadTrace(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string bytes, os::ReadFile(path));
  return ParseTrace(bytes);
}

std::string FormatTrace(const Trace& trace, bool binary) {
  if (binary) {
    BinaryWriter writer;
    writer.Header(ToJsonLine(trace.header));
    for (const Record& r : trace.events) writer.Event(r);
    if (trace.end) writer.End(ToJsonLine(*trace.end));
    return writer.Take();
  }
  std::string out = ToJsonLine(trace.header) + "\n";
  for (const Record& r : trace.events) out += ToJsonLine(r) + "\n";
  if (trace.end) out += ToJsonLine(*trace.end) + "\n";
  return out;
}

absl::Status WriteTrace(const Trace& trace, const std::string& path) {
  return os::WriteFile(path, FormatTrace(trace, path.ends_with(".ktrace")));
}

}  // namespace ksim::trace
