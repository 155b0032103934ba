// What can be judged of a real cluster's watch, from what kubectl printed:
//
//   kubectl get pods -o json > list.json
//   kubectl get pods -w --output-watch-events -o json > watch.json
//
// The stream is JSON objects one after another, {"type":"ADDED","object":{...}}, on one line or
// many. Resource versions are compared as decimal integers, per kind. kubectl lists first and
// prints the items as ADDED, in the list's order: those are told from changes by --list (also when
// they changed between the list and the watch), or, without it, as the ADDED events before anything
// else.
//
// Judged: watch.ordered and watch.unique; with a list watch.reliable as well, as far as the objects
// show it: an update of what is not there, a creation of what is. A change that another change of
// the object hides cannot be seen to be missing. A list that kubectl printed says no revision of
// its own (`resourceVersion: ""`): then it is at least as new as the newest of its items.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/check/verdict.h"
#include "ksim/value/value.h"

namespace ksim::check {

// JSON values that follow one another, with white space or nothing between. InvalidArgument says in
// which line what is wrong.
absl::StatusOr<std::vector<value::Value>> ParseJsonStream(std::string_view text);

// `list`: a List object; null Value = none was given. InvalidArgument for what is no watch event.
absl::StatusOr<std::vector<Verdict>> JudgeWatchJson(const std::vector<value::Value>& events,
                                                    const value::Value& list);

}  // namespace ksim::check
