// The estimated cost of a call of Kubernetes' libraries and of ext.Lists and ext.Sets.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ksim/cel/eval/cost_estimate.h"

namespace ksim::cel {

// A target or argument of a call.
struct CostNode {
  const Expr* expr = nullptr;
  TypePtr type;
  std::vector<std::string> path;  // empty: not below a variable
  std::optional<CostRange> size;  // known from the expression
};

struct CallEstimate {
  CostRange cost;
  std::optional<CostRange> result_size;
};

struct EstimatedCall {
  const std::string& function;
  const std::string& overload;
  const CostNode* target;  // null: a global function
  const std::vector<CostNode>& args;
  const SizeEstimator& estimator;

  CostRange SizeOf(const CostNode& node) const;
  // The size of a list's elements.
  CostRange ElementSize(const CostNode& list) const;
};

// nullopt: cel-go's own estimate holds.
std::optional<CallEstimate> EstimateLibraryCall(const EstimatedCall& call,
                                                const CostPolicy& policy);

}  // namespace ksim::cel
