// The cost that an expression may have, worked out from its types and the sizes that a schema
// admits, before it runs.
//
// Upstream: cel-go checker/cost.go, ext/{lists,sets}.go; k8s.io/apiserver pkg/cel/library/cost.go
// EstimateCallCost.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ksim/cel/check/checker.h"
#include "ksim/cel/eval/runtime_cost.h"

namespace ksim::cel {

// From least to most; what would overflow stays at the end of uint64.
struct CostRange {
  std::uint64_t min = 0;
  std::uint64_t max = 0;

  static CostRange Fixed(std::uint64_t n) { return {n, n}; }
  static CostRange Unknown() { return {0, UINT64_MAX}; }
  CostRange operator+(const CostRange& o) const;
  CostRange operator*(const CostRange& o) const;
  CostRange Scaled(double factor) const;
  CostRange Union(const CostRange& o) const;
};

// The size of what a path leads to: a variable, then fields, @items, @keys and @values; nullopt:
// nobody knows.
using SizeEstimator = std::function<std::optional<CostRange>(const std::vector<std::string>&)>;

CostRange EstimateCost(const CheckedAst& checked, const CostPolicy& policy,
                       const SizeEstimator& estimator);

}  // namespace ksim::cel
