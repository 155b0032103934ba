// Judges a watch that kubectl printed as a table:
//
//   EVENT      NAME   READY   STATUS    RESTARTS   AGE
//   ADDED      a      0/1     Pending   0          0s
//   MODIFIED   a      1/1     Running   0          2s
//
// A table has no resource versions. With the column EVENT (--output-watch-events) it shows what is
// told of an object that is not there, or is there already, and ages that run backwards; without
// that column it shows nothing, for a row may be of an object that was deleted.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "ksim/check/verdict.h"

namespace ksim::check {

// Seconds in an age as kubectl prints it: "5s", "2m30s", "3d4h", "2y10d".
std::optional<std::int64_t> SecondsOfAge(std::string_view text);

std::vector<Verdict> JudgeWatchTable(std::string_view text);

}  // namespace ksim::check
