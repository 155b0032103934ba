// Tap passes the events of a run to the oracles, altered as if a client had one of the known bugs.
// Since it alters only the observations, a mutant needs no second client.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "ksim/check/observation.h"

namespace ksim::churn {

enum class Mutant : std::uint8_t {
  kNone,
  kBookmarkIgnored,       // goes on from the last event, not from the last bookmark
  kUidChangeUnnoticed,    // deleted and made anew: told as an update of the old object
  kResyncTakenForUpdate,  // resyncs go to every handler
  kRelistWithoutBackoff   // a failed list is repeated at once, until one succeeds
};

class Tap {
 public:
  using Take = std::function<void(const check::Observation&)>;
  Tap(Mutant mutant, std::string resynced, std::string not_resynced, Take take)
      : mutant_(mutant),
        resynced_(std::move(resynced)),
        not_resynced_(std::move(not_resynced)),
        take_(std::move(take)) {}
  void Pass(check::Observation& o);

 private:
  void WithoutBookmarks(check::Observation& o);
  void RepeatList(const check::Observation& o);

  Mutant mutant_;
  std::string resynced_, not_resynced_;  // suffixes of listeners
  Take take_;
  std::map<std::string, std::string> data_version_;  // of processes: of the last list or event
  std::string listener_;
};

}  // namespace ksim::churn
