#include "ksim/apiserver/core/container_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/value/text.h"
#include "ksim/value/timestamp.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {
namespace {

using value::GoQuote;
using value::Value;

VirtualTime StartOf(const Value& state) {
  return value::ParseTimestamp(state.Get("startedAt").AsString()).value_or(VirtualTime());
}

bool HasRun(const Value& terminated) { return !terminated.Get("containerID").AsString().empty(); }

std::string WhyWaiting(const Value& waiting) {
  if (waiting.is_null()) return "is waiting to start - no logs yet";
  const std::string_view reason = waiting.Get("reason").AsString();
  if (reason == "ErrImagePull") return "is waiting to start: image can't be pulled";
  if (reason == "ImagePullBackOff") return "is waiting to start: trying and failing to pull image";
  return fmt::format("is waiting to start: {}", reason);
}

Value StatusOf(const api::Object& pod, std::string_view container) {
  for (const char* list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"})
    for (const Value& s : pod.status().Get(list).items())
      if (s.Get("name").AsString() == container) return s;
  return Value();
}

// 2006-01-02T15:04:05.000000000Z07:00 (RFC3339NanoFixed).
std::string Stamp(VirtualTime time) {
  std::string seconds = value::FormatTimestamp(time);
  seconds.pop_back();
  return fmt::format("{}.{:09}Z", seconds, time.ns() % 1'000'000'000);
}

}  // namespace

std::optional<LogRun> FindLogRun(const api::Object& pod, std::string_view container, bool previous,
                                 std::string* refusal) {
  const auto refuse = [&](std::string_view what) {
    *refusal =
        fmt::format("container {} in pod {} {}", GoQuote(container), GoQuote(pod.name()), what);
    return std::nullopt;
  };
  const Value status = StatusOf(pod, container);
  const Value& state = status.Get("state");
  const Value& last = status.Get("lastState").Get("terminated");
  const Value& terminated = state.Get("terminated");
  if (status.is_null()) return refuse("is not available");
  if (previous && !HasRun(last)) {
    *refusal = fmt::format("previous terminated container {} in pod {} not found",
                           GoQuote(container), GoQuote(pod.name()));
    return std::nullopt;
  }
  if (!previous && state.Has("running")) return LogRun(StartOf(state.Get("running")), false);
  if (!previous && HasRun(terminated)) return LogRun(StartOf(terminated), false);
  // A container that waits to run again has the run that ended last as its newest.
  if (HasRun(last)) return LogRun(StartOf(last), previous && !state.Has("waiting"));
  if (!terminated.is_null() || !last.is_null()) return refuse("is terminated");
  return refuse(WhyWaiting(state.Get("waiting")));
}

void LogWriter::Write(const LogLine& line, std::string* out) {
  if (full() || (reading_.since && line.time < *reading_.since)) return;
  std::string text = reading_.timestamps ? Stamp(line.time) + " " : "";
  text += line.text + "\n";
  if (reading_.limit) text = text.substr(0, static_cast<std::size_t>(*reading_.limit - written_));
  written_ += static_cast<std::int64_t>(text.size());
  *out += text;
}

// ReadLogs, logWriter.write: the last lines first, then those since a time, then so many bytes.
std::string WriteLog(const std::vector<LogLine>& lines, const LogReading& reading) {
  const auto size = static_cast<std::int64_t>(lines.size());
  const std::int64_t tail = reading.tail.value_or(-1);
  std::string out;
  LogWriter writer(reading);
  for (std::int64_t i = tail < 0 ? 0 : std::max<std::int64_t>(0, size - tail); i < size; ++i)
    writer.Write(lines[static_cast<std::size_t>(i)], &out);
  return out;
}

}  // namespace ksim::apiserver
