#include "ksim/trace/export/perfetto_tracks.h"

#include <fmt/format.h>

#include "ksim/trace/actors.h"
#include "ksim/value/json.h"

namespace ksim::trace {
namespace {

std::string GroupKey(std::string_view actor, std::string_view group) {
  return fmt::format("{}\n{}", actor, group);
}

}  // namespace

std::string PerfettoTime(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

std::string JsonText(std::string_view text) {
  std::string out;
  value::AppendJsonString(text, &out);
  return out;
}

void PerfettoTracks::Begin() { sink_("{\"displayTimeUnit\":\"ns\",\"traceEvents\":["); }
void PerfettoTracks::End() { sink_("\n]}\n"); }

void PerfettoTracks::Emit(std::string_view event) {
  sink_(first_ ? "\n" : ",\n");
  first_ = false;
  sink_(event);
}

int PerfettoTracks::PidOf(std::string_view actor) {
  const std::string process(ProcessOf(actor));
  const auto [it, added] = pids_.try_emplace(process, static_cast<int>(pids_.size()) + 1);
  if (added)
    Emit(fmt::format(R"({{"ph":"M","pid":{0},"name":"process_name","args":{{"name":{1}}}}})",
                     it->second, JsonText(process)));
  return it->second;
}

PerfettoTrack PerfettoTracks::TrackOf(std::string_view actor, std::string_view group, int lane) {
  PerfettoTrack& track = tracks_[{GroupKey(actor, group), lane}];
  if (track.tid != 0) return track;
  track.pid = PidOf(actor);
  track.tid = static_cast<int>(tracks_.size());
  std::string name(group);
  if (const std::string_view part = PartOf(actor); !part.empty())
    name = fmt::format("{}: {}", part, group);
  if (lane > 0) name += fmt::format(" {}", lane + 1);
  Emit(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})",
                   track.pid, track.tid, JsonText(name)));
  return track;
}

PerfettoSlice PerfettoTracks::Open(std::string_view actor, std::string_view group,
                                   std::int64_t begin, std::string name, std::string args) {
  PerfettoSlice slice;
  slice.actor = actor;
  slice.group = group;
  slice.begin = begin;
  slice.name = std::move(name);
  slice.args = std::move(args);
  Lanes& lanes = lanes_[GroupKey(actor, group)];
  if (lanes.free.empty())
    slice.lane = lanes.used++;
  else
    slice.lane = lanes.free.extract(lanes.free.begin()).value();
  return slice;
}

void PerfettoTracks::Close(const PerfettoSlice& slice) {
  lanes_[GroupKey(slice.actor, slice.group)].free.insert(slice.lane);
}

void PerfettoTracks::Slice(const PerfettoSlice& s, std::int64_t end) {
  const PerfettoTrack track = TrackOf(s.actor, s.group, s.lane);
  Emit(fmt::format(
      R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"cat":{},"name":{},"args":{{{}}}}})",
      track.pid, track.tid, PerfettoTime(s.begin), PerfettoTime(end - s.begin), JsonText(s.group),
      JsonText(s.name), s.args));
}

void PerfettoTracks::Instant(PerfettoTrack track, char scope, std::int64_t t, std::string_view name,
                             std::string_view args) {
  Emit(fmt::format(R"({{"ph":"i","s":"{}","pid":{},"tid":{},"ts":{},"name":{},"args":{{{}}}}})",
                   scope, track.pid, track.tid, PerfettoTime(t), JsonText(name), args));
}

void PerfettoTracks::Counter(std::string_view actor, std::string_view name, std::string_view unit,
                             std::int64_t t, std::int64_t value) {
  const int pid = PidOf(actor);
  Emit(fmt::format(R"({{"ph":"C","pid":{},"ts":{},"name":{},"args":{{{}:{}}}}})", pid,
                   PerfettoTime(t), JsonText(name), JsonText(unit), value));
}

void PerfettoTracks::Flow(std::string_view name, PerfettoTrack from, std::int64_t t,
                          PerfettoTrack to, std::int64_t u) {
  const auto end = [&](std::string_view phase, PerfettoTrack track, std::int64_t when) {
    Emit(fmt::format(R"({{"ph":{},"id":{},"pid":{},"tid":{},"ts":{},"cat":"watch","name":{}}})",
                     phase, flows_, track.pid, track.tid, PerfettoTime(when), JsonText(name)));
  };
  ++flows_;
  end("\"s\"", from, t);
  end("\"f\",\"bp\":\"e\"", to, u);
}

}  // namespace ksim::trace
