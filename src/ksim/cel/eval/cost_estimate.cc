#include "ksim/cel/eval/cost_estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "ksim/cel/eval/call_estimate.h"

namespace ksim::cel {
namespace {

std::uint64_t Sum(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
std::uint64_t Product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

using Path = std::vector<std::string>;
using Size = std::optional<CostRange>;

// The sizes of what a list or map holds.
struct EntrySize {
  bool list = true;
  CostRange key, value;
};
using Entry = std::optional<EntrySize>;

struct Local {
  Path path;
  Size size;
  Entry entry;
};

bool IsScalar(const Type& t) {
  switch (t.kind) {
    case TypeKind::kBool:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kInt:
    case TypeKind::kTimestamp:
    case TypeKind::kUint:
      return true;
    default:
      return t.IsOptional() && IsScalar(*t.params[0]);
  }
}

Path Extended(Path path, const char* step) {
  path.push_back(step);
  return path;
}

Entry UnionOf(const Entry& a, const Entry& b) {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  return EntrySize{a->list, a->key.Union(b->key), a->value.Union(b->value)};
}

class Coster {
 public:
  Coster(const CheckedAst& checked, const CostPolicy& policy, const SizeEstimator& estimator)
      : checked_(checked), policy_(policy), estimator_(estimator) {}

  CostRange Cost(const Expr& e) {
    switch (e.kind) {
      case ExprKind::kLiteral:
        return {};
      case ExprKind::kIdent:
        return CostIdent(e);
      case ExprKind::kSelect:
        return CostSelect(e);
      case ExprKind::kCall:
        return CostCall(e);
      case ExprKind::kList:
        return CostList(e);
      case ExprKind::kMap:
        return CostMap(e);
      case ExprKind::kStruct:
        return CostRange::Fixed(kStructCost);
      case ExprKind::kComprehension:
        return IsBind(*e.loop) ? CostBind(e) : CostLoop(e);
    }
    return {};
  }

 private:
  CostRange CostIdent(const Expr& e) {
    const Local* local = Find(e.name);
    paths_[e.id] = local != nullptr ? local->path : Path{e.name};
    return CostRange::Fixed(1);
  }

  CostRange CostSelect(const Expr& e) {
    CostRange sum = Cost(*e.target);
    if (e.test_only) return sum;
    const TypeKind kind = checked_.TypeOfNode(*e.target)->kind;
    if (kind == TypeKind::kMap || kind == TypeKind::kStruct) sum = sum + CostRange::Fixed(1);
    paths_[e.id] = Extended(PathOf(*e.target), e.name.c_str());
    return sum;
  }

  CostRange CostCall(const Expr& e) {
    if (e.name == "dyn" && e.items.size() == 1) {
      const CostRange cost = CostRange::Fixed(1) + Cost(*e.items[0]);
      CopySizes(e, *e.items[0]);
      return cost;
    }
    std::vector<CostRange> costs;
    std::vector<CostNode> args;
    for (const ExprPtr& item : e.items) {
      costs.push_back(Cost(*item));
      args.push_back(NodeOf(*item));
    }
    const auto ids = checked_.overloads.find(e.id);
    if (ids == checked_.overloads.end()) return {};
    CostRange sum;
    std::optional<CostNode> target;
    if (e.target != nullptr) {
      sum = Cost(*e.target);
      target = NodeOf(*e.target);
    }
    CostRange cost{UINT64_MAX, 0};
    Size result;
    for (const std::string& overload : ids->second) {
      const CallEstimate estimate =
          CostOverload(e, overload, target.has_value() ? &*target : nullptr, args, costs);
      cost = cost.Union(estimate.cost);
      if (estimate.result_size.has_value()) {
        result = result.has_value() ? result->Union(*estimate.result_size) : *estimate.result_size;
      }
      if (overload == "index_list" || overload == "index_map") {
        const Entry entry = EntryOf(*e.items[0]);
        result = entry.has_value() ? Size(entry->value) : std::nullopt;
        paths_[e.id] =
            Extended(PathOf(*e.items[0]), overload == "index_list" ? "@items" : "@values");
      }
      if (!result.has_value()) result = SizeOf(e);
    }
    SetSize(e, result);
    return sum + cost;
  }

  CallEstimate CostOverload(const Expr& e, const std::string& overload, const CostNode* target,
                            const std::vector<CostNode>& args,
                            const std::vector<CostRange>& costs) {
    CostRange all;
    for (const CostRange& c : costs) all = all + c;
    const EstimatedCall call{e.name, overload, target, args, estimator_};
    if (std::optional<CallEstimate> own = EstimateLibraryCall(call, policy_)) {
      own->cost = own->cost + all;
      return *own;
    }
    CallEstimate estimate = CostStandard(e, overload, target, args, costs);
    const bool lazy =
        overload == "logical_or" || overload == "logical_and" || overload == "conditional";
    if (!lazy) estimate.cost = estimate.cost + all;
    return estimate;
  }

  CallEstimate CostStandard(const Expr& e, const std::string& overload, const CostNode* target,
                            const std::vector<CostNode>& args,
                            const std::vector<CostRange>& costs) {
    const auto is = [&overload](std::string_view name) { return overload == name; };
    const auto size = [](const CostNode& node) { return node.size.value_or(CostRange::Unknown()); };
    if (is("string_format") && target != nullptr) {
      return {size(*target).Scaled(kTraversalFactor), std::nullopt};
    }
    if (is("string_to_bytes")) {
      const CostRange s = size(args[0]);
      return {s.Scaled(kTraversalFactor), CostRange{s.min, s.max * 4}};
    }
    if (is("bytes_to_string")) {
      const CostRange s = size(args[0]);
      return {s.Scaled(kTraversalFactor), CostRange{s.min / 4, s.max}};
    }
    if (is("strings_quote")) {
      const CostRange s = size(args[0]);
      return {s.Scaled(kTraversalFactor), CostRange{s.min + 2, s.max * 2 + 2}};
    }
    if (is("starts_with_string") || is("ends_with_string")) {
      return {size(args[0]).Scaled(kTraversalFactor), std::nullopt};
    }
    if (is("in_list")) return {size(args[1]).Scaled(1), std::nullopt};
    if (is("matches_string") && target != nullptr) {
      const CostRange text = (size(*target) + CostRange::Fixed(1)).Scaled(kTraversalFactor);
      return {text * size(args[0]).Scaled(kRegexLengthFactor), std::nullopt};
    }
    if (is("contains_string") && target != nullptr) {
      return {size(*target).Scaled(kTraversalFactor) * size(args[0]).Scaled(kTraversalFactor),
              std::nullopt};
    }
    if (is("logical_or") || is("logical_and")) {
      return {CostRange{costs[0].min, (costs[0] + costs[1]).max}, std::nullopt};
    }
    if (is("conditional")) {
      entries_[e.id] = UnionOf(EntryOf(*args[1].expr), EntryOf(*args[2].expr));
      return {costs[0] + costs[1].Union(costs[2]), size(args[1]).Union(size(args[2]))};
    }
    if (is("add_string") || is("add_bytes") || is("add_list")) {
      const CostRange sum = size(args[0]) + size(args[1]);
      const Entry entry = UnionOf(EntryOf(*args[0].expr), EntryOf(*args[1].expr));
      if (entry.has_value()) entries_[e.id] = entry;
      return {is("add_list") ? CostRange::Fixed(1) : sum.Scaled(kTraversalFactor), sum};
    }
    if (ComparesSizes(overload)) {
      const std::uint64_t most = std::min(size(args[0]).max, size(args[1]).max);
      return {CostRange{most > 0 ? 1u : 0u, most}.Scaled(kTraversalFactor), std::nullopt};
    }
    return {CostRange::Fixed(1), std::nullopt};
  }

  static bool ComparesSizes(std::string_view overload) {
    if (overload == "equals" || overload == "not_equals") return true;
    return (overload.starts_with("less_") || overload.starts_with("greater_")) &&
           (overload.ends_with("_string") || overload.ends_with("_bytes"));
  }

  CostRange CostList(const Expr& e) {
    CostRange sum = CostRange::Fixed(kListCost);
    CostRange item{e.items.empty() ? 0 : UINT64_MAX, 0};
    for (const ExprPtr& element : e.items) {
      sum = sum + Cost(*element);
      item = item.Union(SizeOrUnknown(*element));
    }
    entries_[e.id] = EntrySize{true, CostRange::Fixed(1), item};
    return sum;
  }

  CostRange CostMap(const Expr& e) {
    CostRange sum = CostRange::Fixed(kMapCost);
    CostRange key{e.entries.empty() ? 0 : UINT64_MAX, 0};
    CostRange value = key;
    for (const MapEntry& entry : e.entries) {
      sum = sum + Cost(*entry.key) + Cost(*entry.value);
      key = key.Union(SizeOrUnknown(*entry.key));
      value = value.Union(SizeOrUnknown(*entry.value));
    }
    entries_[e.id] = EntrySize{false, key, value};
    return sum;
  }

  static bool IsBind(const Comprehension& loop) {
    return loop.range->kind == ExprKind::kList && loop.range->items.empty() &&
           loop.condition->kind == ExprKind::kLiteral && loop.condition->literal.is_false();
  }

  CostRange CostBind(const Expr& e) {
    const Comprehension& loop = *e.loop;
    CostRange sum = Cost(*loop.range) + Cost(*loop.init);
    locals_.emplace_back(loop.accu,
                         Local{PathOf(*loop.init), SizeOf(*loop.init), EntryOf(*loop.init)});
    sum = sum + Cost(*loop.result);
    locals_.pop_back();
    CopySizes(e, *loop.result);
    return sum;
  }

  // The variable of a loop that is bound to the keys, indexes, values or items of its range.
  Local LoopVariable(const Expr& range, bool first, bool two) {
    const Entry entry = EntryOf(range);
    const bool list =
        entry.has_value() ? entry->list : checked_.TypeOfNode(range)->kind == TypeKind::kList;
    Local local;
    const bool by_value = two ? !first : list;
    const char* step = by_value ? (list ? "@items" : "@values") : (list ? "@indices" : "@keys");
    local.path = Extended(PathOf(range), step);
    if (entry.has_value()) local.size = by_value ? entry->value : entry->key;
    return local;
  }

  CostRange CostLoop(const Expr& e) {
    const Comprehension& loop = *e.loop;
    CostRange sum = Cost(*loop.range) + Cost(*loop.init);
    locals_.emplace_back(loop.accu,
                         Local{PathOf(*loop.init), SizeOf(*loop.init), EntryOf(*loop.init)});
    const bool two = !loop.var2.empty();
    const std::size_t mark = locals_.size();
    locals_.emplace_back(loop.var, LoopVariable(*loop.range, true, two));
    if (two) locals_.emplace_back(loop.var2, LoopVariable(*loop.range, false, true));
    const CostRange condition = Cost(*loop.condition);
    const CostRange step = Cost(*loop.step);
    locals_.resize(mark);
    sum = sum + Cost(*loop.result);
    locals_.pop_back();
    const CostRange count = SizeOrUnknown(*loop.range);
    sum = sum + count * (step + condition);
    if (loop.init->kind == ExprKind::kLiteral) {
      SetSize(e, SizeOf(*loop.init));
    } else if (loop.init->kind == ExprKind::kList || loop.init->kind == ExprKind::kMap) {
      SetSize(e, count);
      if (const Entry entry = EntryOf(*loop.step)) entries_[e.id] = entry;
    }
    return sum;
  }

  const Local* Find(const std::string& name) const {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->first == name) return &local->second;
    }
    return nullptr;
  }

  Path PathOf(const Expr& e) const {
    if (e.kind == ExprKind::kIdent) {
      if (const Local* local = Find(e.name)) return local->path;
    }
    const auto found = paths_.find(e.id);
    return found == paths_.end() ? Path{} : found->second;
  }

  CostNode NodeOf(const Expr& e) {
    Path path = PathOf(e);
    if (!path.empty() && path[0] == kAccumulator) path.clear();
    return {&e, checked_.TypeOfNode(e), std::move(path), SizeOf(e)};
  }

  static Size LiteralSize(const Expr& e) {
    if (e.kind == ExprKind::kLiteral) return CostRange::Fixed(e.literal.Size());
    if (e.kind == ExprKind::kList) return CostRange::Fixed(e.items.size());
    if (e.kind == ExprKind::kMap) return CostRange::Fixed(e.entries.size());
    return std::nullopt;
  }

  Size SizeOf(const Expr& e) {
    const auto found = sizes_.find(e.id);
    if (found != sizes_.end()) return found->second;
    if (const Size size = LiteralSize(e)) return size;
    if (const Size size = estimator_(PathOf(e))) {
      sizes_[e.id] = *size;
      return size;
    }
    if (IsScalar(*checked_.TypeOfNode(e))) return CostRange::Fixed(1);
    if (e.kind == ExprKind::kIdent) {
      if (const Local* local = Find(e.name)) return local->size;
    }
    return std::nullopt;
  }
  CostRange SizeOrUnknown(const Expr& e) { return SizeOf(e).value_or(CostRange::Unknown()); }
  void SetSize(const Expr& e, const Size& size) {
    if (size.has_value()) sizes_[e.id] = *size;
  }

  Entry EntryOf(const Expr& e) const {
    const auto found = entries_.find(e.id);
    if (found != entries_.end() && found->second.has_value()) return found->second;
    if (e.kind == ExprKind::kIdent) {
      if (const Local* local = Find(e.name)) return local->entry;
    }
    return std::nullopt;
  }

  void CopySizes(const Expr& to, const Expr& from) {
    SetSize(to, SizeOf(from));
    if (const Entry entry = EntryOf(from)) entries_[to.id] = entry;
  }

  const CheckedAst& checked_;
  const CostPolicy& policy_;
  const SizeEstimator& estimator_;
  std::map<std::int64_t, Path> paths_;
  std::map<std::int64_t, CostRange> sizes_;
  std::map<std::int64_t, Entry> entries_;
  std::vector<std::pair<std::string, Local>> locals_;
};

}  // namespace

CostRange CostRange::operator+(const CostRange& o) const {
  return {Sum(min, o.min), Sum(max, o.max)};
}
CostRange CostRange::operator*(const CostRange& o) const {
  return {Product(min, o.min), Product(max, o.max)};
}
CostRange CostRange::Scaled(double factor) const {
  return {ksim::cel::Scaled(min, factor), ksim::cel::Scaled(max, factor)};
}
CostRange CostRange::Union(const CostRange& o) const {
  return {std::min(min, o.min), std::max(max, o.max)};
}

CostRange EstimateCost(const CheckedAst& checked, const CostPolicy& policy,
                       const SizeEstimator& estimator) {
  return Coster(checked, policy, estimator).Cost(*checked.ast.root);
}

}  // namespace ksim::cel
