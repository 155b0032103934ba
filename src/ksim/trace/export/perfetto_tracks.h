// PerfettoTracks: the processes, threads, slices, instants, counters and flows of Chrome's trace
// event format. Slices that overlap go to lanes of their own ("requests", "requests 2"), since on
// one thread they must nest.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "ksim/trace/export/export.h"

namespace ksim::trace {

// Where a slice or an instant stands.
struct PerfettoTrack {
  PerfettoTrack() = default;
  int pid = 0;
  int tid = 0;
};

// A slice that has begun.
struct PerfettoSlice {
  PerfettoSlice() = default;
  std::string actor, group, name, args;  // args: members of a JSON object
  std::int64_t begin = 0;                // virtual ns
  int lane = 0;
};

class PerfettoTracks {
 public:
  explicit PerfettoTracks(Sink sink) : sink_(sink) {}
  void Begin();  // of the file
  void End();

  PerfettoTrack TrackOf(std::string_view actor, std::string_view group, int lane = 0);

  // Takes a lane for the slice, or gives it back.
  PerfettoSlice Open(std::string_view actor, std::string_view group, std::int64_t begin,
                     std::string name, std::string args);
  void Close(const PerfettoSlice& slice);

  void Slice(const PerfettoSlice& slice, std::int64_t end);
  void Instant(PerfettoTrack track, char scope, std::int64_t t, std::string_view name,
               std::string_view args);
  void Counter(std::string_view actor, std::string_view name, std::string_view unit, std::int64_t t,
               std::int64_t value);
  // An arrow between what stands on the two tracks at those times.
  void Flow(std::string_view name, PerfettoTrack from, std::int64_t t, PerfettoTrack to,
            std::int64_t u);

 private:
  struct Lanes {
    int used = 0;
    std::set<int> free;
  };
  int PidOf(std::string_view actor);
  void Emit(std::string_view event);

  Sink sink_;
  bool first_ = true;
  std::int64_t flows_ = 0;
  std::map<std::string, int> pids_;
  std::map<std::pair<std::string, int>, PerfettoTrack> tracks_;  // actor and group, lane
  std::map<std::string, Lanes> lanes_;
};

// Microseconds with the nanoseconds as decimals: "1.234".
std::string PerfettoTime(std::int64_t ns);
// "\"text\"".
std::string JsonText(std::string_view text);

}  // namespace ksim::trace
