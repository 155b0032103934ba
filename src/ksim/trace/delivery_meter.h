// DeliveryMeter: how soon the handlers of each informer heard of what was committed, and what that
// took in lists. Fed in the order of the run, by a run's own events or by a trace's records.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ksim::trace {

// Counted are the calls about a commit made after the informer's first list; not those about what
// was there before (initial), about nothing new (resync, relist of what had not changed), or about
// a deletion that was not seen (a tombstone has no revision of its own). Times in virtual ns from
// the commit to the call; nearest rank; 0 without calls.
struct DeliveryRow {
  DeliveryRow() = default;
  std::string informer;  // "PROCESS RESOURCE"
  std::uint64_t calls = 0;
  std::int64_t p50 = 0, p99 = 0, max = 0;
  std::uint64_t slowest = 0;  // seq of the first call that took the longest
  std::uint64_t relists = 0;  // the first list included
  std::int64_t items = 0;     // listed by all of them
};

class DeliveryMeter {
 public:
  void Commit(std::int64_t revision, std::int64_t t) { committed_.try_emplace(revision, t); }
  // `counted`: false for what lies outside of the part that is looked at.
  void Relist(std::string_view informer, std::int64_t got_rv, std::int64_t items, bool counted);
  // `rv`: the revision whose commit the call is about, 0 for none; see RevisionOfCall.
  void Call(std::string_view informer, std::int64_t rv, std::int64_t t, std::uint64_t seq);

  // By name of informer, those that listed or were told something. Once, at the end.
  std::vector<DeliveryRow> Rows();

 private:
  struct Samples {
    std::vector<std::pair<std::int64_t, std::uint64_t>> latencies;  // and seq
    std::int64_t first_rv = -1;                                     // of the first list
    std::uint64_t relists = 0;
    std::int64_t items = 0;
  };
  static DeliveryRow RowOf(const std::string& informer, Samples& samples);

  std::map<std::string, Samples, std::less<>> by_informer_;
  std::map<std::int64_t, std::int64_t> committed_;  // revision -> virtual ns
};

// The revision whose commit a handler call is about; 0 if it is about none.
inline std::int64_t RevisionOfCall(bool initial, bool tombstone, bool update, std::int64_t old_rv,
                                   std::int64_t rv) {
  return initial || tombstone || (update && old_rv == rv) ? 0 : rv;
}

}  // namespace ksim::trace
