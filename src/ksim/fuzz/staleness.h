// Staleness: how late each client may hear of each resource before a scenario fails. Of each watch
// that is open in a run without delays, every event is late by the same time from the workload on
// (delayStream), until the last step and four such delays are over; the rest is as `ksim run` does
// it. The largest delay that does no harm is searched by bisection.
//
// Bisection takes for granted that what a controller stands it stands when shorter. The steps of
// kLadder are all tried, also those beyond the first that fails: where one of them does no harm the
// search says so.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/base/time.h"
#include "ksim/fuzz/run_outcome.h"
#include "ksim/scenario/scenario.h"

namespace ksim::fuzz {

// The delays that are tried in any case. Between two of them the search goes on: to 1 ms up to a
// second, to 100 ms up to a minute, then to a second.
inline constexpr std::array<Duration, 9> kLadder = {
    Milliseconds(10), Milliseconds(100), Seconds(1),  Seconds(10), Seconds(40),
    Minutes(2),       Minutes(5),        Minutes(10), Minutes(15)};

struct StreamStaleness {
  StreamStaleness() = default;
  std::string client, resource;
  Duration stands;                     // the largest delay below fails_at that did no harm
  std::optional<Duration> fails_at;    // the smallest that did; nothing: none of kLadder does
  std::string oracle, message;         // what breaks there
  int code = kFine;                    // of that run
  std::vector<Duration> stands_again;  // larger ones that did no harm: not monotone
};

struct Staleness {
  Staleness() = default;
  std::vector<StreamStaleness> streams;  // in the order of (client, resource)
  std::uint64_t runs = 0;
  RunOutcome undelayed;  // if it fails there is nothing to search
  bool stopped = false;

  int Code() const;  // docs/exit-codes.md
};

struct StalenessOptions {
  StalenessOptions() = default;
  int jobs = 1;                     // worker processes
  std::optional<Duration> timeout;  // real time of one run
  std::function<bool()> stop = [] { return false; };
  std::function<void(std::size_t done, std::size_t all)> on_progress = [](std::size_t,
                                                                          std::size_t) {};
};

// Unavailable: no worker could be started.
absl::StatusOr<Staleness> FindStaleness(const scenario::Scenario& scenario,
                                        const StalenessOptions& options);

// The search, of any function that tells how a run with so late a stream ends. For FindStaleness.
struct DelayedRun {
  DelayedRun() = default;
  int code = kFine;
  std::string oracle, message;
};
void SearchStaleness(const std::function<DelayedRun(Duration)>& run, StreamStaleness* stream);

// As JSON text, like ToJson of a Summary.
std::string ToJson(const Staleness& staleness, const std::string& scenario);

}  // namespace ksim::fuzz
