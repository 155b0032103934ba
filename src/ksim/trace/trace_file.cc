// The part of trace.h that reads and writes files.
#include <fmt/format.h>

#include "ksim/base/hash.h"
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

// A line is a document of its own: the reader of JSON says "line 1 column 9: ..." of it.
absl::Status BadJson(std::size_t line, const absl::Status& json) {
  std::string what(Message(json));
  constexpr std::string_view kItsFirst = "line 1 ";
  if (!what.starts_with(kItsFirst)) return Bad(line, what);
  what.erase(0, kItsFirst.size());
  return absl::InvalidArgumentError(fmt::format("line {} {}", line, what));
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
    trace->last_line = json;
    return absl::OkStatus();
  }
  absl::StatusOr<Record> record = ParseRecord(json);
  if (!record.ok()) return Bad(line, Message(record.status()));
  return Append(trace, *std::move(record), line);
}

absl::Status TakeHeader(Trace* trace, const Value& json, std::size_t line) {
  absl::StatusOr<Header> header = ParseHeader(json);
  if (!header.ok()) return Bad(line, Message(header.status()));
  trace->header = *std::move(header);
  trace->first_line = json;
  return absl::OkStatus();
}

absl::StatusOr<Trace> ParseLines(std::string_view text) {
  Trace trace;
  std::size_t number = 0;
  const bool terminated = text.ends_with('\n');
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const bool whole = newline != std::string_view::npos;
    const std::string_view line = text.substr(0, newline);
    text.remove_prefix(whole ? newline + 1 : text.size());
    ++number;
    const absl::StatusOr<Value> json = value::ParseJson(line);
    if (!json.ok()) {
      if (whole || number == 1) return BadJson(number, json.status());
      trace.missing = WhatIsMissing(trace, fmt::format("cut in the middle of line {}", number));
      return trace;
    }
    if (number == 1)
      RETURN_IF_ERROR(TakeHeader(&trace, *json, number));
    else
      RETURN_IF_ERROR(TakeLine(&trace, *json, number));
  }
  if (number == 0) return absl::InvalidArgumentError("there is nothing in it");
  if (!trace.end)
    trace.missing = WhatIsMissing(trace, fmt::format("cut after line {}", number));
  else if (!terminated)
    trace.missing = "the newline at its end is missing";
  return trace;
}

// The entries of a .ktrace, in their order: header, events, end, checksum.
class BinaryTrace {
 public:
  explicit BinaryTrace(std::string_view bytes) : reader_(bytes) {}

  absl::StatusOr<Trace> Parse() {
    using Item = BinaryReader::Item;
    for (;; ++number_) {
      const Item item = reader_.Next();
      if (item == Item::kCorrupt) return Bad(number_, "not what a .ktrace can hold");
      if (item == Item::kAltered)
        return absl::InvalidArgumentError("its bytes are not those that were written");
      if (item == Item::kNothing || item == Item::kCut) break;
      if (sealed_) return Bad(number_, "bytes after the last line");
      RETURN_IF_ERROR(Take(item));
    }
    if (number_ == 1) return absl::InvalidArgumentError("cut before the end of its header");
    if (!trace_.end)
      trace_.missing = WhatIsMissing(trace_, "cut short");
    else if (!sealed_)
      trace_.missing = "the checksum at its end is missing";
    return std::move(trace_);
  }

 private:
  absl::Status Take(BinaryReader::Item item) {
    using Item = BinaryReader::Item;
    if ((item == Item::kHeader) != (number_ == 1))
      return Bad(number_, number_ == 1 ? "the header is missing" : "a second header");
    if (item == Item::kEvent)
      return trace_.end ? Bad(number_, "text after the last line")
                        : Append(&trace_, reader_.TakeRecord(), number_);
    if (item == Item::kChecksum) {
      sealed_ = true;
      return trace_.end ? absl::OkStatus() : Bad(number_, "the last line is missing");
    }
    const absl::StatusOr<Value> json = value::ParseJson(reader_.line());
    if (!json.ok()) return BadJson(number_, json.status());
    return item == Item::kHeader ? TakeHeader(&trace_, *json, number_)
                                 : TakeLine(&trace_, *json, number_);
  }

  BinaryReader reader_;
  Trace trace_;
  std::size_t number_ = 1;  // of the entry
  bool sealed_ = false;
};

}  // namespace

absl::StatusOr<Trace> ParseTrace(std::string_view bytes) {
  if (bytes.starts_with(kBinaryMagic)) return BinaryTrace(bytes).Parse();
  return ParseLines(bytes);
}

absl::StatusOr<Trace> ReadTrace(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string bytes, os::ReadFile(path));
  return ParseTrace(bytes);
}

std::string HashOfHeader(const Value& first_line) { return Hex(first_line.Hash()); }

std::string LastLine(const std::string& first_line, const End& end) {
  const absl::StatusOr<Value> tree = value::ParseJson(first_line);
  std::string line = ToJsonLine(end);
  line.pop_back();
  return line + fmt::format(",\"header\":\"{}\"}}", HashOfHeader(tree.value()));
}

std::string FormatTrace(const Trace& trace, bool binary) {
  const std::string first = ToJsonLine(trace.header);
  if (binary) {
    BinaryWriter writer;
    writer.Header(first);
    for (const Record& r : trace.events) writer.Event(r);
    if (!trace.end) return writer.Take();
    writer.End(LastLine(first, *trace.end));
    return writer.Sealed();
  }
  std::string out = first + "\n";
  for (const Record& r : trace.events) out += ToJsonLine(r) + "\n";
  if (trace.end) out += LastLine(first, *trace.end) + "\n";
  return out;
}

absl::Status WriteTrace(const Trace& trace, const std::string& path) {
  return os::WriteFile(path, FormatTrace(trace, path.ends_with(".ktrace")));
}

}  // namespace ksim::trace
