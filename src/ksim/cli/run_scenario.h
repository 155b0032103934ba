// One of the runs of `ksim run`: runs a scenario, writes its files, and renders the rest.
#pragma once
#include <string>
#include <vector>

#include "ksim/cli/common_flags.h"
#include "ksim/cli/io.h"
#include "ksim/cli/live_line.h"
#include "ksim/cli/run_output.h"
#include "ksim/scenario/not_simulated.h"

namespace ksim::scenario {
struct Scenario;
}

namespace ksim::cli {

struct RunOptions {
  CommonFlags common;
  bool strict = false;
  std::string trace;      // a file, "-" or none
  std::string audit_log;  // the same
  std::string audit_level = "Metadata";
  bool trace_objects = false;
  std::string log;  // the process whose log is told; "": none
};

// `io` gives its colours, and takes a trace that goes to standard output as it comes. `many`: one
// of several, which has a line for itself, or in JSON and YAML a tree that goes into a document
// with the others. `not_simulated`: of this scenario; it has been printed. `progress` tells how far
// the run is; null: nothing does.
RunOutput RunScenario(const RunOptions& options, Io& io, const scenario::Scenario& scenario,
                      const std::vector<scenario::NotSimulated>& not_simulated, bool many,
                      LiveLine* progress);

}  // namespace ksim::cli
