#include "ksim/cel/eval/call_estimate.h"

#include <cmath>
#include <string_view>

#include "ksim/base/one_of.h"

namespace ksim::cel {
namespace {

constexpr double kMaxNameFormatRegexSize = 128;  // pkg/cel/limits.go

std::uint64_t AddOne(std::uint64_t n) { return n == UINT64_MAX ? n : n + 1; }

std::uint64_t Quotient(std::uint64_t a, std::uint64_t b) {
  const double q = std::ceil(static_cast<double>(a) / static_cast<double>(b));
  return q >= 18446744073709551616.0 ? UINT64_MAX : static_cast<std::uint64_t>(q);
}

// How long the result of replace() may be.
CostRange ReplacedSize(const CostRange& text, const CostRange& old, const CostRange& with) {
  CostRange count;
  CostRange kept;
  if (old.min == 0) {
    count.max = AddOne(text.max);
    kept.max = text.max;
  } else if (with.max <= old.min) {
    kept.max = text.max;
  } else {
    count.max = Quotient(text.max, old.min);
  }
  if (old.max == 0) {
    count.min = AddOne(text.min);
    kept.min = text.min;
  } else if (old.max <= with.min) {
    kept.min = text.min;
  } else {
    count.min = Quotient(text.min, old.max);
  }
  return count * with + kept;
}

CallEstimate EstimateTraversal(const EstimatedCall& call) {
  const CostNode& target = *call.target;
  if (target.type->params.empty()) {
    return {call.SizeOf(target).Scaled(kTraversalFactor), std::nullopt};
  }
  CostRange element = CostRange::Fixed(1);
  const TypeKind kind = target.type->params[0]->kind;
  if (kind == TypeKind::kString || kind == TypeKind::kBytes) {
    element = element + call.ElementSize(target).Scaled(kTraversalFactor);
  }
  return {call.SizeOf(target) * element, std::nullopt};
}

CallEstimate EstimateJoin(const EstimatedCall& call) {
  const CostRange list = call.SizeOf(*call.target);
  CostRange size;
  if (!call.target->type->params.empty()) size = list * call.ElementSize(*call.target);
  if (!call.args.empty()) {
    const CostRange separators{list.min > 0 ? list.min - 1 : 0, list.max > 0 ? list.max - 1 : 0};
    size = size + call.SizeOf(call.args[0]) * separators;
  }
  return {size.Scaled(kTraversalFactor), size};
}

CallEstimate EstimateSplit(const EstimatedCall& call) {
  const CostRange text = call.SizeOf(*call.target);
  std::uint64_t most = text.max;
  if (call.args.size() > 1 && call.args[1].expr != nullptr &&
      call.args[1].expr->kind == ExprKind::kLiteral && call.args[1].expr->literal.is_int()) {
    most = call.args[1].expr->literal.AsUint();
  }
  return {text.Scaled(2 * kTraversalFactor), CostRange{0, most}};
}

CallEstimate EstimateFind(const EstimatedCall& call) {
  const CostRange text = call.SizeOf(*call.target);
  const CostRange traversal = (text + CostRange::Fixed(1)).Scaled(kTraversalFactor);
  const CostRange regex = call.SizeOf(call.args[0]).Scaled(kRegexLengthFactor);
  return {traversal * regex, CostRange{0, text.max}};
}

CallEstimate EstimateNetwork(const EstimatedCall& call) {
  const CostRange bytes{4, 16};
  CostRange cost = (bytes + bytes).Scaled(kTraversalFactor);
  if (call.function == "containsCIDR") {
    cost = cost + bytes.Scaled(kTraversalFactor) + CostRange::Fixed(1);
  }
  if (IsOneOf(call.overload, {"cidr_contains_ip_string", "cidr_contains_cidr_string"})) {
    cost = cost + call.SizeOf(call.args[0]).Scaled(kTraversalFactor);
  }
  return {cost, std::nullopt};
}

std::optional<CallEstimate> EstimateEquality(const EstimatedCall& call) {
  if (call.args.size() != 2 || !SameType(*call.args[0].type, *call.args[1].type)) {
    return std::nullopt;
  }
  const std::string& name = call.args[0].type->name;
  if (IsOneOf(name, {"net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"})) {
    return CallEstimate{CostRange::Fixed(1), std::nullopt};
  }
  if (name == "kubernetes.NamedFormat") {
    return CallEstimate{CostRange{1, 64}.Scaled(kTraversalFactor), std::nullopt};
  }
  if (name == "kubernetes.URL") {
    const CostRange size = call.args[1].size.value_or(CostRange::Fixed(1));
    return CallEstimate{CostRange{1, size.max}.Scaled(kTraversalFactor), std::nullopt};
  }
  return std::nullopt;
}

std::uint64_t LiteralOr(const CostNode& node, std::uint64_t otherwise) {
  if (node.expr == nullptr || node.expr->kind != ExprKind::kLiteral ||
      !node.expr->literal.is_int()) {
    return otherwise;
  }
  return node.expr->literal.AsInt() < 0 ? 0 : node.expr->literal.AsUint();
}

std::optional<CallEstimate> EstimateExtension(const EstimatedCall& call, const CostPolicy& policy) {
  const std::string_view overload = call.overload;
  if (policy.set_prices && overload.starts_with("list_sets_") && call.args.size() == 2) {
    const double factor = overload == "list_sets_equivalent_list" ? 2 : 1;
    const CostRange product = call.SizeOf(call.args[0]) * call.SizeOf(call.args[1]);
    return CallEstimate{product.Scaled(factor) + CostRange::Fixed(1), std::nullopt};
  }
  if (!policy.ext_list_prices) return std::nullopt;
  const auto allocating = [](double factor, const CostRange& size) {
    return CallEstimate{size.Scaled(factor) + CostRange::Fixed(1 + kListCost), size};
  };
  if (overload == "list_slice") {
    const std::uint64_t end = LiteralOr(call.args[1], call.SizeOf(*call.target).max);
    return allocating(1, CostRange::Fixed(end - LiteralOr(call.args[0], 0)));
  }
  if (overload == "lists_range") {
    return allocating(1, CostRange::Fixed(LiteralOr(call.args[0], UINT64_MAX)));
  }
  if (overload == "list_reverse") return allocating(1, call.SizeOf(*call.target));
  if (overload == "list_flatten" || overload == "list_flatten_int") {
    const std::uint64_t depth = call.args.size() == 1 ? LiteralOr(call.args[0], UINT64_MAX) : 1;
    return allocating(static_cast<double>(depth), call.SizeOf(*call.target));
  }
  const bool by_keys = overload.ends_with("_sortByAssociatedKeys");
  if (overload == "list_distinct" ||
      (overload.starts_with("list_") && (overload.ends_with("_sort") || by_keys))) {
    const CostRange size = call.SizeOf(by_keys ? call.args[0] : *call.target);
    const bool text =
        IsOneOf(overload, {"list_string_sort", "list_bytes_sort",
                           "list_string_sortByAssociatedKeys", "list_bytes_sortByAssociatedKeys"});
    return allocating(text ? 2 + kTraversalFactor : 2, size * size);
  }
  return std::nullopt;
}

std::optional<CallEstimate> EstimateKubernetes(const EstimatedCall& call) {
  const std::string_view f = call.function;
  if (f == "check") return CallEstimate{CostRange::Fixed(kAccessCheckCost), std::nullopt};
  if (CostsOne(f)) return CallEstimate{CostRange::Fixed(1), std::nullopt};
  if ((f == "fieldSelector" || f == "labelSelector") && call.args.size() == 1) {
    const CostRange size = call.SizeOf(call.args[0]);
    const CostRange cost = CostRange::Fixed(kListCost) + size.Scaled(kTraversalFactor) +
                           size.Scaled(0.5).Scaled(static_cast<double>(kListCost + kStructCost));
    return CallEstimate{cost, std::nullopt};
  }
  if (IsOneOf(f, {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"}) && call.target) {
    return EstimateTraversal(call);
  }
  if (f == "url" && call.args.size() == 1) {
    const CostRange size = call.SizeOf(call.args[0]);
    return CallEstimate{size.Scaled(kTraversalFactor), size};
  }
  if (IsOneOf(f, {"lowerAscii", "upperAscii", "substring", "trim"}) && call.target) {
    const CostRange size = call.SizeOf(*call.target);
    return CallEstimate{size.Scaled(kTraversalFactor), size};
  }
  if (f == "replace" && call.target && call.args.size() >= 2) {
    const CostRange text = call.SizeOf(*call.target);
    const CostRange size = ReplacedSize(text, call.SizeOf(call.args[0]), call.SizeOf(call.args[1]));
    return CallEstimate{text.Scaled(2 * kTraversalFactor), size};
  }
  if (f == "split" && call.target) return EstimateSplit(call);
  if (f == "join" && call.target) return EstimateJoin(call);
  if (IsOneOf(f, {"find", "findAll"}) && call.target && !call.args.empty()) {
    return EstimateFind(call);
  }
  if (f == "ip" && call.overload == "cidr_ip") {
    return CallEstimate{CostRange::Fixed(1), std::nullopt};
  }
  if (IsOneOf(f,
              {"cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver"}) &&
      !call.args.empty()) {
    return CallEstimate{call.SizeOf(call.args[0]).Scaled(kTraversalFactor), std::nullopt};
  }
  if (f == "ip.isCanonical" && !call.args.empty()) {
    return CallEstimate{call.SizeOf(call.args[0]).Scaled(2 * kTraversalFactor), std::nullopt};
  }
  if (IsOneOf(f, {"containsIP", "containsCIDR"}) && !call.args.empty()) {
    return EstimateNetwork(call);
  }
  if (f == "validate" && !call.args.empty()) {
    return CallEstimate{call.SizeOf(call.args[0])
                            .Scaled(kTraversalFactor)
                            .Scaled(kMaxNameFormatRegexSize * kRegexLengthFactor),
                        std::nullopt};
  }
  if (f == "_==_") return EstimateEquality(call);
  return std::nullopt;
}

}  // namespace

CostRange EstimatedCall::SizeOf(const CostNode& node) const {
  if (node.size.has_value()) return *node.size;
  if (const std::optional<CostRange> size = estimator(node.path)) return *size;
  return CostRange::Unknown();
}

CostRange EstimatedCall::ElementSize(const CostNode& list) const {
  CostNode element;
  element.type = list.type->params[0];
  if (!list.path.empty()) {
    element.path = list.path;
    element.path.push_back("@items");
  }
  return SizeOf(element);
}

std::optional<CallEstimate> EstimateLibraryCall(const EstimatedCall& call,
                                                const CostPolicy& policy) {
  if (auto estimate = EstimateExtension(call, policy)) return estimate;
  return policy.kubernetes ? EstimateKubernetes(call) : std::nullopt;
}

}  // namespace ksim::cel
