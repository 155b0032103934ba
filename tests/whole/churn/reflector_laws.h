// ReflectorLaws judges a reflector's requests and the handlers' calls where no oracle of ksim does:
// G-NL6 and "What must never happen" of
// docs/requirements/guarantees.md.
//
// 1. A watch without initial events asks for the version that was taken in last: that of the list,
//    of an event or of a bookmark.
// 2. After a list (or initial watch) was refused with 410, or as too large (504) as often as the
// REST
//    client asks by itself, the next one does not ask for the same version.
// 3. Passes back off: never more than kMostLists lists and initial watches in ten seconds.
// 4. A handler that asked for no resync is told of an object without a change only because of a
//    list or an event: until its informer first looks who wants resyncs, it counts as one that
//    does.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>

#include "ksim/check/observation.h"

namespace ksim::churn {

class ReflectorLaws {
 public:
  // Delays grow from 0.8 s: five passes in ten seconds at most, each of two lists at most.
  static constexpr std::size_t kMostLists = 12;

  // The REST client repeats what is answered 504 with a Retry-After (CLIENT-37).
  static constexpr int kMostTries = 11;

  // `resynced`: handlers that asked for resyncs.
  explicit ReflectorLaws(std::set<std::string> resynced) : resynced_(std::move(resynced)) {}
  void Take(const check::Observation& o);
  const std::string& violation() const { return violation_; }  // the first; "" = none

 private:
  struct Reflector {
    std::string version;             // taken in last; "" = nothing yet
    std::string asked;               // by the last list
    int refusals = 0;                // of that version in a row; a 410 counts for all tries
    std::deque<std::int64_t> lists;  // times of the last ten seconds
    std::set<std::uint64_t> list_requests;
  };
  void Request(Reflector& r, const check::Observation& o);
  void Response(Reflector& r, const check::Observation& o);
  void Deliver(Reflector& r, const check::Observation& o);
  void Handler(const check::Observation& o);
  void Break(const check::Observation& o, const std::string& what);

  std::set<std::string> resynced_;
  std::set<std::uint64_t> news_;                 // lists and events: what may lead to a call
  std::map<std::string, Reflector> reflectors_;  // by process
  std::string violation_;
};

}  // namespace ksim::churn
