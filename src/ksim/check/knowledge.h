// Knowledge: what a process had been told of the store at an event of a trace, beside what the
// store held then.
//
//   KnowledgeOf(trace, "kube-controller-manager", at) ->
//     pods: told up to revision 31, the store 38; pods/default/web-1: not known
//
// A process with informers knows what their handlers were told. A guest has none: it knows the
// lists that it got, those that its watches began with, and what these brought since.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/trace/trace.h"

namespace ksim::check {

// An object of which the process did not know the newest.
struct Unknown {
  Unknown() = default;
  std::string resource, object;    // pods, pods/default/web-1
  std::int64_t known = 0;          // the revision that it had been told of; 0: it knew of none
  std::int64_t revision = 0;       // the newest
  bool gone = false;               // that is its deletion
  std::string by;                  // who wrote it
  std::int64_t t = 0;              // when
  std::vector<std::string> since;  // places that were written since what it knew: "spec.nodeName"
};

struct Knowledge {
  Knowledge() = default;
  bool reads = false;            // it has read something at all
  std::int64_t revision = 0;     // of the store
  std::vector<Unknown> unknown;  // the one that has been so for longest first
};

// At the event of index `event`, before it. InvalidArgument: the commits do not fit one another.
absl::StatusOr<Knowledge> KnowledgeOf(const trace::Trace& trace, std::string_view process,
                                      std::size_t event);

}  // namespace ksim::check
