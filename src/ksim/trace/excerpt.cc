#include "ksim/trace/excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ksim/base/diagnostic.h"
#include "ksim/base/status.h"
#include "ksim/base/time.h"
#include "ksim/trace/actors.h"
#include "ksim/trace/state.h"

namespace ksim::trace {
namespace {

// How many events come before the moment; with `included`, how many up to it.
std::size_t CountUpTo(const Trace& trace, const Moment& moment, bool included) {
  const std::int64_t limit = moment.value - (included ? 0 : 1);
  const std::vector<Record>& events = trace.events;
  std::size_t n = 0;
  switch (moment.kind) {
    case Moment::Kind::kEnd:
      return events.size();
    case Moment::Kind::kSeq:
      return std::min(events.size(), static_cast<std::size_t>(std::max<std::int64_t>(limit, 0)));
    case Moment::Kind::kTime:
      while (n < events.size() && events[n].t <= limit) ++n;
      return n;
    case Moment::Kind::kRevision:
      while (n < events.size() &&
             (events[n].kind != sim::EventKind::kCommit || events[n].Int("revision") <= limit))
        ++n;
      return n;
  }
  return n;
}

}  // namespace

Excerpt::Excerpt(const Trace& trace) : trace_(trace), last_(trace.events.size()) {
  if (!trace.events.empty()) end_time_ = trace.events.back().t;
  if (trace.end) end_time_ = std::max(end_time_, trace.end->time);
}

absl::Status Excerpt::SetWindow(std::string_view window) {
  constexpr std::string_view kDots = "..";
  const std::size_t dots = window.find(kDots);
  if (dots == std::string_view::npos)
    return absl::InvalidArgumentError(
        fmt::format("\"{}\" is no window: want A..B, such as 1.5s..2s or seq:10..seq:90", window));
  Moment from, to;
  from.kind = Moment::Kind::kTime;
  const std::string_view a = window.substr(0, dots), b = window.substr(dots + kDots.size());
  if (!a.empty()) {
    ASSIGN_OR_RETURN(from, ParseMoment(a));
  }
  if (!b.empty()) {
    ASSIGN_OR_RETURN(to, ParseMoment(b));
  }
  if (from.kind == to.kind && from.value > to.value)
    return absl::InvalidArgumentError(
        fmt::format("\"{}\" is no window: it ends before it begins", window));
  whole_ = false;
  first_ = CountUpTo(trace_, from, false);
  last_ = CountUpTo(trace_, to, true);
  if (first_ >= last_)
    return absl::OutOfRangeError(fmt::format("nothing happens in {}; the trace ends at {}, seq {}",
                                             window, FormatTime(VirtualTime(end_time_)),
                                             trace_.events.size()));
  begin_time_ = from.kind == Moment::Kind::kTime ? from.value : trace_.events[first_].t;
  if (to.kind == Moment::Kind::kTime)
    end_time_ = std::min(end_time_, to.value);
  else if (last_ < trace_.events.size())
    end_time_ = trace_.events[last_ - 1].t;
  return absl::OkStatus();
}

absl::Status Excerpt::SetActors(const std::vector<std::string>& actors) {
  std::set<std::string_view> known, here;
  for (const Record& r : trace_.events) {
    known.insert(r.actor);
    if (r.seq > first_ && r.seq <= last_) here.insert(r.actor);
  }
  bool any = actors.empty();
  for (const std::string& name : actors) {
    const auto means = [&name](std::string_view actor) { return IsOrIsPartOf(actor, name); };
    any = any || std::any_of(here.begin(), here.end(), means);
    if (std::any_of(known.begin(), known.end(), means)) continue;
    const std::string near = Nearest(name, {known.begin(), known.end()});
    return absl::NotFoundError(
        fmt::format("no actor \"{}\" in the trace{}", name,
                    near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
  }
  if (!any) return absl::OutOfRangeError("these actors do nothing in the window");
  if (!actors.empty()) whole_ = false;
  actors_ = actors;
  return absl::OkStatus();
}

bool Excerpt::ShowsActor(std::string_view actor) const {
  return actors_.empty() || std::any_of(actors_.begin(), actors_.end(), [&](const std::string& n) {
           return IsOrIsPartOf(actor, n);
         });
}

}  // namespace ksim::trace
