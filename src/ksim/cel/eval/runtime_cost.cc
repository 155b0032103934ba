#include "ksim/cel/eval/runtime_cost.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "ksim/base/one_of.h"
#include "ksim/cel/functions/named_format.h"

namespace ksim::cel {
namespace {

std::uint64_t SizeOf(const Val& v) {
  if (v.is_optional() && v.optional_value() != nullptr) return SizeOf(*v.optional_value());
  return v.Size();
}

// Kubernetes' own actualSize looks into no optional.
std::uint64_t PlainSize(const Val& v) { return v.Size(); }

std::uint64_t TraversalCost(const Val& v) {
  switch (v.kind()) {
    case ValKind::kString:
    case ValKind::kBytes:
      return static_cast<std::uint64_t>(static_cast<double>(v.AsText().size()) * kTraversalFactor);
    case ValKind::kList: {
      std::uint64_t cost = 0;
      for (std::size_t i = 0; i < v.list().size(); ++i) cost += TraversalCost(v.list().at(i));
      return cost;
    }
    case ValKind::kMap: {
      std::uint64_t cost = 0;
      for (std::size_t i = 0; i < v.map().visible(); ++i) {
        cost += TraversalCost(v.map().key(i)) + TraversalCost(v.map().value(i));
      }
      return cost;
    }
    default:
      return 1;
  }
}

std::uint64_t RegexCost(std::uint64_t text, std::uint64_t regex) {
  const auto traversal =
      static_cast<std::uint64_t>(std::ceil((1.0 + static_cast<double>(text)) * kTraversalFactor));
  return traversal * Scaled(regex, kRegexLengthFactor);
}

std::uint64_t NetworkCost(std::string_view function, std::string_view overload, Arguments args) {
  const std::uint64_t network = PlainSize(args[0]);
  const std::uint64_t other = PlainSize(args[1]);
  std::uint64_t cost = Scaled(network + network, kTraversalFactor);
  if (function == "containsCIDR") cost += Scaled(network, kTraversalFactor) + 1;
  if (overload == "cidr_contains_ip_string" || overload == "cidr_contains_cidr_string") {
    cost += Scaled(other, kTraversalFactor);
  }
  return cost;
}

// selectorCostEstimate
std::uint64_t SelectorCost(std::uint64_t size) {
  return kListCost + Scaled(size, kTraversalFactor) +
         Scaled(Scaled(size, 0.5), static_cast<double>(kListCost + kStructCost));
}

// CostEstimator.CallCost.
std::optional<std::uint64_t> KubernetesCost(std::string_view function, std::string_view overload,
                                            Arguments args, const Val& result) {
  const auto times = [&](double factor) { return Scaled(PlainSize(args[0]), factor); };
  if (function == "check") return kAccessCheckCost;
  if (CostsOne(function)) return 1;
  if ((function == "fieldSelector" || function == "labelSelector") && args.size() == 2)
    return SelectorCost(PlainSize(args[1]));
  if (IsOneOf(function, {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"})) {
    return args.empty() ? 0 : TraversalCost(args[0]);
  }
  if (args.empty()) return std::nullopt;
  if (IsOneOf(function, {"url", "lowerAscii", "upperAscii", "substring", "trim", "cidr", "isIP",
                         "isCIDR", "quantity", "isQuantity", "semver", "isSemver"})) {
    return times(kTraversalFactor);
  }
  if (IsOneOf(function, {"replace", "split", "ip.isCanonical"})) {
    return times(2 * kTraversalFactor);
  }
  if (function == "ip") return overload == "cidr_ip" ? 1 : times(kTraversalFactor);
  if (function == "join") return Scaled(PlainSize(result), 2 * kTraversalFactor);
  if (args.size() < 2) return std::nullopt;
  if (function == "find" || function == "findAll") {
    return RegexCost(PlainSize(args[0]), PlainSize(args[1]));
  }
  if (function == "containsIP" || function == "containsCIDR") {
    return NetworkCost(function, overload, args);
  }
  if (function == "validate") {
    if (const auto regex = MaxRegexSize(args[0])) return RegexCost(PlainSize(args[1]), *regex);
  }
  if (function == "_==_" && args[0].kind() == ValKind::kOpaque) return 1;
  return std::nullopt;
}

// The prices of ext.Sets and ext.Lists.
std::optional<std::uint64_t> ExtensionCost(const CostPolicy& policy, std::string_view overload,
                                           Arguments args, const Val& result) {
  const auto allocating = [](double factor, std::uint64_t size) {
    return static_cast<std::uint64_t>(static_cast<double>(size) * factor) + 1 + kListCost;
  };
  if (policy.set_prices && overload.starts_with("list_sets_")) {
    const double factor = overload == "list_sets_equivalent_list" ? 2 : 1;
    return 1 + static_cast<std::uint64_t>(static_cast<double>(SizeOf(args[0]) * SizeOf(args[1])) *
                                          factor);
  }
  if (!policy.ext_list_prices) return std::nullopt;
  if (IsOneOf(overload, {"list_slice", "lists_range", "list_reverse"})) {
    return allocating(1, PlainSize(result));
  }
  if (overload == "list_flatten" || overload == "list_flatten_int") {
    const double depth = args.size() == 2 ? static_cast<double>(args[1].AsInt()) : 1;
    return allocating(depth, PlainSize(args[0]));
  }
  const bool by_keys = overload.ends_with("_sortByAssociatedKeys");
  if (overload == "list_distinct" ||
      (overload.starts_with("list_") && (overload.ends_with("_sort") || by_keys))) {
    const Val& list = args[by_keys ? 1 : 0];
    const std::uint64_t size = list.Size();
    double factor = 2;
    if (list.is_list() && size > 0) {
      const Val first = list.list().at(0);
      if (first.is_string() || first.kind() == ValKind::kBytes) factor += kTraversalFactor;
    }
    return allocating(factor, size * size);
  }
  return std::nullopt;
}

bool ComparesText(std::string_view overload) {
  return (overload.starts_with("less_") || overload.starts_with("greater_")) &&
         (overload.ends_with("_string") || overload.ends_with("_bytes"));
}

}  // namespace

bool CostsOne(std::string_view function) {
  return IsOneOf(function,
                 {// questions to an authorizer, and what they are answered
                  "serviceAccount", "path", "group", "resource", "subresource", "namespace", "name",
                  "allowed", "reason", "error", "errored",
                  // networks
                  "masked", "prefixLength", "family", "isUnspecified", "isLoopback",
                  "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast",
                  // quantities and versions
                  "sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan",
                  "isLessThan", "compareTo", "add", "sub", "major", "minor", "patch",
                  // URLs and named formats
                  "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery",
                  "format.named"});
}

std::uint64_t Scaled(std::uint64_t x, double factor) {
  const double product = std::ceil(static_cast<double>(x) * factor);
  return product >= 18446744073709551616.0 ? UINT64_MAX : static_cast<std::uint64_t>(product);
}

std::uint64_t CallCost(const CostPolicy& policy, const std::string& function,
                       const std::string& overload, Arguments args, const Val& result) {
  if (const auto cost = ExtensionCost(policy, overload, args, result)) return *cost;
  if (policy.kubernetes) {
    if (const auto cost = KubernetesCost(function, overload, args, result)) return *cost;
  }
  if (IsOneOf(overload, {"starts_with_string", "ends_with_string", "string_to_bytes",
                         "bytes_to_string", "strings_quote", "string_format"})) {
    return Scaled(SizeOf(args[0]), kTraversalFactor);
  }
  if (overload == "in_list") return SizeOf(args[1]);
  if (overload == "equals" || overload == "not_equals" || ComparesText(overload)) {
    return Scaled(std::min(SizeOf(args[0]), SizeOf(args[1])), kTraversalFactor);
  }
  if (overload == "add_string" || overload == "add_bytes") {
    return Scaled(SizeOf(args[0]) + SizeOf(args[1]), kTraversalFactor);
  }
  if (overload == "matches_string") return RegexCost(SizeOf(args[0]), SizeOf(args[1]));
  if (overload == "contains_string") {
    return Scaled(SizeOf(args[0]), kTraversalFactor) * Scaled(SizeOf(args[1]), kTraversalFactor);
  }
  return 1;
}

}  // namespace ksim::cel
