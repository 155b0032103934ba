// InvariantFile: invariants that somebody has of a trace that is there: a file with `invariants:`,
// or a Scenario, of which only its invariants are read.
#pragma once
#include <string>
#include <vector>

#include "ksim/base/diagnostic.h"
#include "ksim/check/invariant.h"
#include "ksim/value/value.h"

namespace ksim::scenario {

struct InvariantFile {
  InvariantFile() = default;
  std::vector<check::Invariant> invariants;
  std::vector<Diagnostic> errors;
};

// `scenario`: of the trace's header; its custom kinds are known.
InvariantFile ReadInvariantFile(const std::string& path, const value::Value& scenario);

}  // namespace ksim::scenario
