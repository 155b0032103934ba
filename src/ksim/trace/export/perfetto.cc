// The part of export.h for ui.perfetto.dev and chrome://tracing, in Chrome's trace event format:
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
//
// A process of the cluster is a process there. Requests, reconciles, steps, phases and faults are
// slices; commits, deliveries and the rest are instants; an arrow leads from a commit to each
// delivery of it. Counters show how many events are on their way to a client, and how many
// revisions old the event is that reaches it. The stages of a request are left out: they take no
// time.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "ksim/trace/actors.h"
#include "ksim/trace/event_text.h"
#include "ksim/trace/export/export.h"
#include "ksim/trace/export/perfetto_tracks.h"
#include "ksim/trace/streams.h"
#include "ksim/value/json.h"

namespace ksim::trace {
namespace {

using Kind = sim::EventKind;

// All that fits in a table: neither empty fields nor whole objects.
std::string ArgsOf(const Record& r) {
  std::string out = fmt::format("\"seq\":{},\"cause\":{}", r.seq, r.cause);
  for (const value::Value::Member& m : r.fields) {
    const value::Value& v = m.value;
    const std::string_view name = m.name.text();
    const bool whole = name == "changed" || name == "object" || name == "body";
    if (whole || v.is_null() ||
        (v.is_string() ? v.AsString().empty() : !v.is_int() && !v.is_bool()))
      continue;
    out += fmt::format(",{}:", JsonText(name));
    value::AppendJson(v, &out);
  }
  return out;
}

// The track of what takes no time.
std::string_view GroupOf(Kind kind) {
  switch (kind) {
    case Kind::kCommit:
    case Kind::kCompact:
      return "commits";
    case Kind::kWatch:
      return "watches";
    case Kind::kEvent:
      return "sent";
    case Kind::kDeliver:
      return "delivered";
    case Kind::kHandler:
      return "handlers";
    case Kind::kRelist:
    case Kind::kCache:
      return "lists";
    case Kind::kRuntime:
      return "runtime";
    case Kind::kFault:
      return "faults";
    default:
      return "process";
  }
}

class PerfettoWriter {
 public:
  PerfettoWriter(const Excerpt& excerpt, Sink sink)
      : excerpt_(excerpt), tracks_(sink), streams_(excerpt.trace()) {}

  void Write() {
    tracks_.Begin();
    const std::vector<Record>& events = excerpt_.trace().events;
    for (std::size_t i = 0; i < excerpt_.last(); ++i) {
      shown_ = excerpt_.Shows(events[i]);
      inside_ = events[i].seq > excerpt_.first();
      Take(events[i]);
    }
    inside_ = true;
    while (!open_.empty()) Finish(open_.begin(), excerpt_.end_time(), "\"open\":true");
    tracks_.End();
  }

 private:
  using Open = std::map<std::string, PerfettoSlice>;

  void Take(const Record& r) {
    const Stream* stream = streams_.Take(r);
    switch (r.kind) {
      case Kind::kStage:
        return;
      case Kind::kRequest:
        return Start(r, fmt::format("request {}", r.Int("id")), "requests");
      case Kind::kResponse:
        return Stop(r, fmt::format("request {}", r.Int("id")));
      case Kind::kReconcile:
        return Pair(r, fmt::format("reconcile {}", r.actor), r.Text("key"), "reconcile");
      case Kind::kStep:
        return Pair(r, "step", std::to_string(r.Int("n")), "steps");
      case Kind::kFault:
        if (r.Text("state") == "skipped") return Instant(r);
        return Pair(r, "fault", r.Text("id"), "faults");
      case Kind::kWebhook: {
        const std::string call =
            fmt::format("webhook {} {} {} {}", r.Int("request"), r.Text("type"),
                        r.Text("configuration"), r.Text("webhook"));
        return r.Text("state") == "call" ? Start(r, call, "webhooks") : Stop(r, call);
      }
      case Kind::kPhase:
        Stop(r, "phase");
        return Start(r, "phase", "phases");
      case Kind::kViolation:
        if (shown_)
          tracks_.Instant(tracks_.TrackOf(r.actor, "violations"), 'g', r.t, EventText(r),
                          ArgsOf(r));
        return;
      case Kind::kCommit:
        head_ = std::max(head_, r.Int("revision"));
        if (shown_) commits_.try_emplace(r.Int("revision"), r.seq);
        return Instant(r);
      case Kind::kActor:
        Instant(r);
        if (r.Text("state") == "kill" || r.Text("state") == "stop") Died(r);
        return;
      default:
        Instant(r);
        if (stream != nullptr) Count(r, *stream);
        if (r.kind == Kind::kDeliver) DrawDelivery(r);
    }
  }

  void Instant(const Record& r) {
    if (!shown_) return;
    tracks_.Instant(tracks_.TrackOf(r.actor, GroupOf(r.kind)), 't', r.t, EventText(r), ArgsOf(r));
  }

  void Pair(const Record& r, std::string_view what, std::string_view which,
            std::string_view group) {
    const std::string key = fmt::format("{}\n{}", what, which);
    if (r.Text("state") == "end") return Stop(r, key);
    Start(r, key, group);
  }

  void Start(const Record& r, const std::string& key, std::string_view group) {
    const auto [it, added] = open_.try_emplace(key);
    if (!added) tracks_.Close(it->second);  // it never ended
    it->second = tracks_.Open(r.actor, group, r.t, EventText(r), ArgsOf(r));
  }

  void Stop(const Record& r, const std::string& key) {
    const auto it = open_.find(key);
    if (it == open_.end()) return;
    std::string args = fmt::format("\"endSeq\":{}", r.seq);
    for (const char* field : {"code", "reason", "result", "rv", "from", "lost", "latency"})
      if (r.Get(field).is_int() || !r.Text(field).empty() || r.Get(field).AsBool())
        args += fmt::format(",\"response.{}\":{}", field, value::ToJson(r.Get(field)));
    Finish(it, r.t, args);
  }

  void Finish(Open::iterator it, std::int64_t end, std::string_view more) {
    PerfettoSlice slice = std::move(it->second);
    open_.erase(it);
    tracks_.Close(slice);
    if (!inside_ || !excerpt_.ShowsActor(slice.actor)) return;
    slice.args += fmt::format(",{}", more);
    tracks_.Slice(slice, end);
  }

  // Nobody waits any more for what a dead process had asked for.
  void Died(const Record& r) {
    for (auto it = open_.begin(); it != open_.end();) {
      const auto next = std::next(it);
      if (ProcessOf(it->second.actor) == r.Text("process"))
        Finish(it, r.t, fmt::format("\"endSeq\":{},\"died\":true", r.seq));
      it = next;
    }
  }

  void Count(const Record& r, const Stream& stream) {
    const std::string client(ProcessOf(stream.client));
    std::int64_t& sum = under_way_[client + "\n" + stream.resource];
    sum += stream.change;
    if (stream.change != 0 && inside_ && excerpt_.ShowsActor(stream.client))
      tracks_.Counter(client, fmt::format("under way: {}", stream.resource), "events", r.t, sum);
  }

  void DrawDelivery(const Record& r) {
    const std::int64_t rv = r.Int("rv");
    if (!shown_ || rv <= 0) return;
    const std::vector<Record>& events = excerpt_.trace().events;
    std::string_view resource = r.Text("resource");
    const auto it = commits_.find(rv);
    if (it != commits_.end()) {
      const Record& commit = events[it->second - 1];
      if (resource.empty()) resource = commit.Text("resource");
      tracks_.Flow(EventText(commit), tracks_.TrackOf(commit.actor, "commits"), commit.t,
                   tracks_.TrackOf(r.actor, "delivered"), r.t);
    }
    if (!resource.empty())
      tracks_.Counter(r.actor, fmt::format("lag: {}", resource), "revisions", r.t,
                      std::max<std::int64_t>(head_ - rv, 0));
  }

  const Excerpt& excerpt_;
  PerfettoTracks tracks_;
  Streams streams_;
  bool shown_ = false;   // the event at hand
  bool inside_ = false;  // the window has begun
  Open open_;
  std::int64_t head_ = 0;
  std::unordered_map<std::int64_t, std::uint64_t> commits_;  // revision -> seq, of those shown
  std::map<std::string, std::int64_t> under_way_;            // process and resource
};

}  // namespace

void ExportPerfetto(const Excerpt& excerpt, Sink sink) { PerfettoWriter(excerpt, sink).Write(); }

}  // namespace ksim::trace
