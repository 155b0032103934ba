// One of the runs of `ksim run`: runs a scenario, writes what it was told to write, and says the
// rest.
#pragma once
#include <string>

#include "ksim/cli/command.h"
#include "ksim/cli/ran.h"

namespace ksim::scenario {
struct Scenario;
}

namespace ksim::cli {

struct RunFlags {
  CommonFlags common;
  bool strict = false;
  std::string trace;      // a file, "-" or none
  std::string audit_log;  // the same
  std::string audit_level = "Metadata";
  bool trace_objects = false;
};

// `look` only for its colours. `many`: one of several, which has a line for itself, or in JSON and
// YAML a tree that goes into a document with the others.
Ran RunOne(const RunFlags& flags, const Io& look, const scenario::Scenario& scenario, bool many);

}  // namespace ksim::cli
