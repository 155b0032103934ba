// Excerpt: the part of a trace that is shown: a window of it, and some of its actors.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/trace/trace.h"

namespace ksim::trace {

class Excerpt {
 public:
  // All of it. The trace must outlive the excerpt.
  explicit Excerpt(const Trace& trace);

  // `window` is A..B, each end a moment as --at takes it and both included; "" for A is the start,
  // for B the end. InvalidArgument if it is none; OutOfRange when no event lies in it.
  absl::Status SetWindow(std::string_view window);
  // Actors, processes with their parts, or "kubelet" for all of them. NotFound names one that the
  // trace has not; OutOfRange when none does anything in the window: set that first.
  absl::Status SetActors(const std::vector<std::string>& actors);

  const Trace& trace() const { return trace_; }
  bool whole() const { return whole_; }
  // The events of the window: trace().events[first()] up to before [last()].
  std::size_t first() const { return first_; }
  std::size_t last() const { return last_; }
  std::int64_t begin_time() const { return begin_time_; }  // virtual ns
  std::int64_t end_time() const { return end_time_; }

  bool ShowsActor(std::string_view actor) const;
  bool Shows(const Record& r) const {
    return r.seq > first_ && r.seq <= last_ && ShowsActor(r.actor);
  }

 private:
  const Trace& trace_;
  bool whole_ = true;
  std::size_t first_ = 0, last_ = 0;
  std::int64_t begin_time_ = 0, end_time_ = 0;
  std::vector<std::string> actors_;
};

}  // namespace ksim::trace
