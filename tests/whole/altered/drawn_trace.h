// Traces of runs of all sorts: scenarios of the tree, versions of Kubernetes, seeds, strategies.
#pragma once
#include <string>

#include "ksim/trace/trace.h"
#include "tests/whole/altered/dice.h"

namespace ksim::altered {

struct DrawnTrace {
  DrawnTrace() = default;
  std::string about;  // for messages
  trace::Trace trace;
  bool binary = false;  // which format to write it in
};

DrawnTrace DrawTrace(Dice& dice);

// The smallest trace: a run of one second on an empty cluster.
trace::Trace SmallTrace();

}  // namespace ksim::altered
