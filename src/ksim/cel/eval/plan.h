// Plan: a checked tree made ready to run: names are slots, overloads are functions, and what is
// constant is worked out.
//
// Upstream: cel-go interpreter/{planner,interpretable,attributes,decorators}.go with OptOptimize
// and OptTrackCost, as Kubernetes has it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/cel/check/checker.h"
#include "ksim/cel/eval/run.h"
#include "ksim/cel/eval/runtime_cost.h"

namespace ksim::cel {

class PlanNode {
 public:
  virtual ~PlanNode() = default;
  virtual Val Eval(Run& run) const = 0;
  // The value if it is the same in each run.
  virtual const Val* constant() const { return nullptr; }
};

struct Plan {
  std::unique_ptr<PlanNode> root;
  std::vector<std::string> variables;  // of the environment, by number
  std::size_t slots = 0;
};

// An error: a conversion of a constant that fails, or a constant regular expression that is none.
absl::StatusOr<std::shared_ptr<const Plan>> MakePlan(const CheckedAst& checked,
                                                     const FunctionTable& functions,
                                                     const CostPolicy& policy);

}  // namespace ksim::cel
