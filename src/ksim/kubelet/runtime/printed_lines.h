// PrintedLines: what the programs in a pod's containers print, as the pod's annotations say.
// Without any they print nothing.
//
//   log.ksim.dev/CONTAINER: "listening on :8080; cache is warm after 5s"
//       the lines of its runs, between semicolons or one in a line of the annotation, each with its
//       time since the container's start; without one it comes with the start
//       "panic after 1s | serving": between bars, those of one run after the other; the last go for
//       all that follow
//
// A line that the container does not live to print is not printed.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/hash.h"
#include "ksim/base/time.h"
#include "ksim/sim/bus.h"

namespace ksim::kubelet {

struct PlannedLine {
  PlannedLine() = default;
  std::string text;
  Duration after;  // the container's start
};

// The lines of the `run`-th run of the container, from 0, in the order of the annotation.
std::vector<PlannedLine> LinesOf(const api::Object& pod, std::string_view container, int run);

// The payload of an event of kind `log`: a container has printed a line.
struct PrintedLine : sim::Payload {
  std::string ns, pod, uid, container;
  std::string text;

  std::uint64_t ContentHash() const override {
    return Hasher().Add(ns).Add(pod).Add(uid).Add(container).Add(text).Digest();
  }
};

}  // namespace ksim::kubelet
