// The cost of a call while an expression runs, in cel-go's units, with Kubernetes' prices for the
// functions of its libraries.
//
// Upstream: cel-go interpreter/runtimecost.go, ext/{lists,sets}.go; k8s.io/apiserver
// pkg/cel/library/cost.go CallCost.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ksim/cel/functions/table.h"
#include "ksim/cel/values/val.h"

namespace ksim::cel {

inline constexpr double kTraversalFactor = 0.1;     // common.StringTraversalCostFactor
inline constexpr double kRegexLengthFactor = 0.25;  // common.RegexStringLengthCostFactor
inline constexpr std::uint64_t kListCost = 10;
inline constexpr std::uint64_t kMapCost = 30;
inline constexpr std::uint64_t kStructCost = 40;
inline constexpr std::uint64_t kAccessCheckCost = 350'000;

struct CostPolicy {
  bool kubernetes = true;       // its CostEstimator is asked first
  bool set_prices = true;       // ext.Sets brings its own
  bool ext_list_prices = true;  // ext.Lists from version 3
};

// `overload` is empty if the checker left several possible.
std::uint64_t CallCost(const CostPolicy& policy, const std::string& function,
                       const std::string& overload, Arguments args, const Val& result);

// Whether a call of the function, which is one of Kubernetes' libraries, costs 1 whatever it is
// called with: by the estimate and while it runs.
bool CostsOne(std::string_view function);

// x times a factor, rounded up.
std::uint64_t Scaled(std::uint64_t x, double factor);

}  // namespace ksim::cel
