#include "ksim/api/views/node_selector.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace ksim::api {

using value::Value;

namespace {

std::optional<std::int64_t> ParseLabelNumber(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

bool ContainsText(const Value& values, std::string_view text) {
  const Value::Items items = values.items();
  return std::any_of(items.begin(), items.end(),
                     [&](const Value& v) { return v.AsString() == text; });
}

// `actual` is the label or field; nullopt if the node lacks it.
bool MatchesRequirement(const Value& requirement, std::optional<std::string_view> actual) {
  const std::string_view op = requirement.Get("operator").AsString();
  const Value& values = requirement.Get("values");
  if (op == "Exists") return actual.has_value();
  if (op == "DoesNotExist") return !actual.has_value();
  if (op == "In") return actual && ContainsText(values, *actual);
  if (op == "NotIn") return !actual || !ContainsText(values, *actual);
  if ((op != "Gt" && op != "Lt") || !actual) return false;
  const std::optional<std::int64_t> have = ParseLabelNumber(*actual);
  const std::optional<std::int64_t> bound = ParseLabelNumber(values.at(0).AsString());
  if (!have || !bound) return false;
  return op == "Gt" ? *have > *bound : *have < *bound;
}

std::optional<std::string_view> LabelOf(const Object& node, std::string_view key) {
  if (!node.labels().Has(key)) return std::nullopt;
  return node.Label(key);
}

const Value& NodeAffinity(const Object& pod) {
  static const value::Path kNodeAffinity{"affinity", "nodeAffinity"};
  return pod.spec().Get(kNodeAffinity);
}

}  // namespace

bool MatchesNodeSelectorTerm(const Value& term, const Object& node) {
  const Value& expressions = term.Get("matchExpressions");
  const Value& fields = term.Get("matchFields");
  if (expressions.empty() && fields.empty()) return false;
  for (const Value& e : expressions.items()) {
    if (!MatchesRequirement(e, LabelOf(node, e.Get("key").AsString()))) return false;
  }
  for (const Value& f : fields.items()) {
    const bool known = f.Get("key").AsString() == "metadata.name";
    if (!known || !MatchesRequirement(f, node.name())) return false;
  }
  return true;
}

bool MatchesRequiredNodeAffinity(const Object& pod, const Object& node) {
  for (const Value::Member& m : pod.spec().Get("nodeSelector").members()) {
    const std::optional<std::string_view> label = LabelOf(node, m.name.text());
    if (!label || *label != m.value.AsString()) return false;
  }
  const Value& required = NodeAffinity(pod).Get("requiredDuringSchedulingIgnoredDuringExecution");
  if (required.is_null()) return true;
  const Value::Items terms = required.Get("nodeSelectorTerms").items();
  return std::any_of(terms.begin(), terms.end(),
                     [&](const Value& t) { return MatchesNodeSelectorTerm(t, node); });
}

std::int64_t PreferredNodeAffinityScore(const Object& pod, const Object& node) {
  std::int64_t score = 0;
  const Value& preferred = NodeAffinity(pod).Get("preferredDuringSchedulingIgnoredDuringExecution");
  for (const Value& p : preferred.items()) {
    const Value& term = p.Get("preference");
    const bool anything = term.Get("matchExpressions").empty() && term.Get("matchFields").empty();
    if (anything || MatchesNodeSelectorTerm(term, node)) score += p.Get("weight").AsInt();
  }
  return score;
}

}  // namespace ksim::api
