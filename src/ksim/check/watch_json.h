// Judges a real cluster's watch, from what kubectl printed:
//
//   kubectl get pods -o json > list.json
//   kubectl get pods -w --output-watch-events -o json > watch.json
//
// The stream is JSON objects one after another, {"type":"ADDED","object":{...}}, on one line or
// many. Resource versions are compared per kind, as decimal integers of any length. kubectl lists
// first and prints the items as ADDED, in the list's order: the ADDED events before anything else
// are taken for these, of each object the first. --list tells them from changes better (also when
// they changed between the list and the watch). What follows is newer than every item.
//
// Judged: watch.ordered and watch.unique; with a list watch.reliable as well, as far as the objects
// show it: an update of what is not there, a creation of what is. Without a list that is told of
// objects of which the stream itself has told before. Objects without the type of an event (`-w -o
// json` alone) show their order only. A change that another change of
// the object hides cannot be seen to be missing. A list that kubectl printed says no revision of
// its own (`resourceVersion: ""`): then it is at least as new as the newest of its items. An ERROR
// ends a watch, and what comes after it is another one's, which may begin with a list again.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/base/diagnostic.h"
#include "ksim/check/verdict.h"
#include "ksim/value/value.h"

namespace ksim::check {

// JSON values that follow one another, with white space or nothing between.
struct JsonStream {
  std::vector<value::Value> values;
  std::vector<Span> places;  // where each begins
  std::string missing;       // what of it is, when the text ends within a value; "" = nothing
};

// Errors say "line L column C: what".
absl::StatusOr<JsonStream> ParseJsonStream(std::string_view text);
// One List, as `kubectl get pods -o json` prints it; errors as above.
absl::StatusOr<value::Value> ParseJsonList(std::string_view text);

// `list`: of ParseJsonList; null Value = none was given. An error, as above, for what is no watch
// event.
absl::StatusOr<std::vector<Verdict>> JudgeWatchJson(const JsonStream& events,
                                                    const value::Value& list);

}  // namespace ksim::check
