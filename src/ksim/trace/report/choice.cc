// The part of events.h that chooses which events a page holds.
#include <algorithm>

#include "ksim/trace/report/events.h"

namespace ksim::trace {
namespace {

using Kind = sim::EventKind;

// Few, and what a run is told by.
bool IsAlwaysThere(Kind kind) {
  return kind == Kind::kViolation || kind == Kind::kFault || kind == Kind::kPhase ||
         kind == Kind::kStep || kind == Kind::kInput || kind == Kind::kActor ||
         kind == Kind::kCompact;
}

// An aside only repeats what other events say: a request tells its stages, a relist its cache.
bool IsAside(Kind kind) { return kind == Kind::kStage || kind == Kind::kCache; }

class Chooser {
 public:
  Chooser(const Excerpt& excerpt, std::size_t max)
      : excerpt_(excerpt), events_(excerpt.trace().events), max_(max), kept_(events_.size()) {}

  Chosen Choose() {
    std::vector<std::size_t> all, others;
    for (std::size_t i = excerpt_.first(); i < excerpt_.last(); ++i) {
      if (!excerpt_.Shows(events_[i])) continue;
      all.push_back(i);
      if (events_[i].kind == Kind::kStep && focus_ == 0) focus_ = events_[i].seq;
    }
    if (all.size() <= max_) {
      chosen_.events = std::move(all);
      return std::move(chosen_);
    }
    chosen_.asides = false;
    KeepViolations();
    for (std::size_t i : all) {
      if (IsAlwaysThere(events_[i].kind))
        Keep(i);
      else if (!IsAside(events_[i].kind) && !kept_[i])
        others.push_back(i);
    }
    KeepAround(others);
    for (std::size_t i : all)
      if (kept_[i]) chosen_.events.push_back(i);
    chosen_.left_out = all.size() - chosen_.events.size();
    return std::move(chosen_);
  }

 private:
  void Keep(std::size_t i) {
    count_ += kept_[i] ? 0 : 1;
    kept_[i] = true;
  }

  // Keeps the event that shows each violation, and its chain of causes.
  void KeepViolations() {
    const Trace& trace = excerpt_.trace();
    if (!trace.end) return;
    for (const Violation& v : trace.end->violations) {
      if (v.first > 0 && !violated_) focus_ = v.first;
      violated_ = violated_ || v.first > 0;
      for (std::uint64_t seq = v.first; seq > excerpt_.first() && seq <= excerpt_.last();) {
        if (excerpt_.Shows(events_[seq - 1])) Keep(seq - 1);
        const std::uint64_t cause = events_[seq - 1].cause;
        if (cause >= seq) break;
        seq = cause;
      }
    }
  }

  // As many as there is room for: most of them before a violation, or after a step.
  void KeepAround(const std::vector<std::size_t>& others) {
    const std::size_t room = std::min(others.size(), count_ < max_ ? max_ - count_ : 0);
    chosen_.part = room < others.size();
    const auto focus = std::lower_bound(others.begin(), others.end(), focus_);
    const auto at = static_cast<std::size_t>(focus - others.begin());
    const std::size_t before = violated_ ? room * 3 / 4 : room / 20;
    const std::size_t begin = std::min(at - std::min(at, before), others.size() - room);
    for (std::size_t i = begin; i < begin + room; ++i) Keep(others[i]);
    if (room == 0) return;
    chosen_.begin = events_[others[begin]].t;
    chosen_.end = events_[others[begin + room - 1]].t;
  }

  const Excerpt& excerpt_;
  const std::vector<Record>& events_;
  std::size_t max_, count_ = 0;
  std::uint64_t focus_ = 0;  // seq
  bool violated_ = false;
  std::vector<bool> kept_;
  Chosen chosen_;
};

}  // namespace

Chosen ChooseEvents(const Excerpt& excerpt, std::size_t max) {
  return Chooser(excerpt, max).Choose();
}

}  // namespace ksim::trace
