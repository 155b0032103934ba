// ProcessClocks: how far the clocks of processes went, as skewClock's `rate` tells. An oracle that
// judges what a process does by a timer of its own (a lease, a grace, a time-out) asks here instead
// of taking the virtual time that passed.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/check/observation.h"
#include "ksim/sim/clock.h"

namespace ksim::check {

class ProcessClocks {
 public:
  void On(const Observation& fault) {
    Take(fault.verb, fault.target, fault.key, fault.state, fault.t, fault.args);
  }
  // A fault event. `rate` is read of its arguments when it begins.
  void Take(std::string_view verb, std::string_view target, std::string_view id,
            std::string_view state, std::int64_t t, const value::Value* args);

  // How far the process' monotonic clock went between two moments, in nanoseconds: `to - from`
  // unless a rate held in between; then a few nanoseconds more at most.
  std::int64_t Passed(std::string_view process, std::int64_t from, std::int64_t to) const;
  // The furthest that any clock went, a true one included.
  std::int64_t MostPassed(std::int64_t from, std::int64_t to) const;
  // The moment at which the process' clock has gone so far since `from`, if nothing changes.
  std::int64_t When(std::string_view process, std::int64_t from, std::int64_t passed) const;
  // The last rate that held at some moment between the two, as the fault names it; "": none did.
  std::string_view RateIn(std::string_view process, std::int64_t from, std::int64_t to) const;

 private:
  struct Rate {
    std::string id, text;
    sim::ClockRate rate;
  };
  struct Span {  // ends where the next one begins
    std::int64_t since = 0;
    std::string text;  // "": the clock runs as the virtual one
    sim::ClockRate rate;
    std::int64_t PassedIn(std::int64_t time) const;
  };
  struct Clock {
    std::vector<Rate> rates;  // in force: the last holds
    std::vector<Span> spans;
  };
  const Clock* Find(std::string_view process) const;
  template <class F>
  static void ForEachPiece(const Clock& clock, std::int64_t from, std::int64_t to, F f);

  std::map<std::string, Clock, std::less<>> clocks_;
};

}  // namespace ksim::check
