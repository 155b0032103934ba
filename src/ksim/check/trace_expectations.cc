#include "ksim/check/trace_expectations.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ksim/api/kinds.h"
#include "ksim/base/time.h"
#include "ksim/value/selector.h"
#include "ksim/value/where.h"

namespace ksim::check {
namespace {

using value::Value;

// One of spec.expect, as a trace's header has it.
struct Condition {
  bool always = false;
  std::string resource, ns, name;
  value::LabelSelector selector;
  value::Where where;
  std::optional<std::int64_t> min, max;
  std::optional<std::int64_t> within;  // ns
};

std::optional<std::int64_t> CountOf(const Value& condition, std::string_view bound) {
  const Value& n = condition.Get("count").Get(bound);
  return n.is_int() ? std::optional<std::int64_t>(n.AsInt()) : std::nullopt;
}

// Nothing if it speaks of what cannot be understood here, such as a kind that the run defined.
std::optional<Condition> Read(const Value& expectation, const api::Kinds& kinds) {
  Condition c;
  c.always = expectation.Has("always");
  const Value& tree = expectation.Get(c.always ? "always" : "eventually");
  const std::string_view text = tree.Get("resource").AsString();
  const std::size_t slash = text.find('/');
  const api::ResourceInfo* info = kinds.ByName(text.substr(0, slash));
  auto selector = value::LabelSelector::Parse(tree.Get("selector").AsString());
  auto where = value::Where::Parse(tree.Get("where").AsString());
  const bool all = !tree.Has("where");
  if (info == nullptr || !selector.ok() || (!all && !where.ok())) return std::nullopt;
  c.resource = info->resource;
  if (info->namespaced) c.ns = tree.Has("namespace") ? tree.Get("namespace").AsString() : "default";
  if (slash != std::string_view::npos) c.name = text.substr(slash + 1);
  c.selector = *std::move(selector);
  if (!all) c.where = *std::move(where);
  c.min = CountOf(tree, "min");
  c.max = CountOf(tree, "max");
  if (!expectation.Has("within")) return c;
  const auto within = ParseDuration(expectation.Get("within").AsString());
  if (!within.ok()) return std::nullopt;
  c.within = within->ns();
  return c;
}

// The objects it is about, and whether each is as `where` says.
class MatchCount {
 public:
  explicit MatchCount(const Condition& condition) : condition_(condition) {}

  bool Concerns(const CommittedChange& c) const {
    return c.ns == condition_.ns && (condition_.name.empty() || c.name == condition_.name);
  }
  void Take(const CommittedChange& c) {
    objects_.erase(c.name);
    if (c.after.is_null()) return;
    if (!condition_.selector.Matches(c.after.Get("metadata").Get("labels"))) return;
    objects_[c.name] = condition_.where.Matches(c.after);
  }
  std::int64_t matching() const {
    std::int64_t n = 0;
    for (const auto& [name, matches] : objects_) n += matches;
    return n;
  }
  bool Holds() const {
    const std::int64_t n = matching();
    if (!condition_.min && !condition_.max)
      return condition_.always ? n == static_cast<std::int64_t>(objects_.size()) : n >= 1;
    return (!condition_.min || n >= *condition_.min) && (!condition_.max || n <= *condition_.max);
  }
  bool empty() const { return objects_.empty(); }
  // Those that are too many, or that are there and not as they should be.
  std::vector<std::string> Objects() const {
    std::vector<std::string> out;
    const std::string ns = condition_.ns.empty() ? "" : condition_.ns + "/";
    for (const auto& [name, matches] : objects_)
      if (!condition_.always || matches)
        out.push_back(fmt::format("{}/{}{}", condition_.resource, ns, name));
    return out;
  }

 private:
  const Condition& condition_;
  std::map<std::string, bool> objects_;  // by name
};

Finding Unmet(const Condition& c, std::size_t number, const MatchCount& fold, std::uint64_t first) {
  Finding f;
  f.violation.oracle = "expect";
  f.violation.message = fmt::format("expectation {} ({}, {}): there {} {}", number,
                                    c.always ? "always" : "eventually", c.resource,
                                    fold.matching() == 1 ? "is" : "are", fold.matching());
  f.violation.objects = fold.Objects();
  f.violation.first = first;
  f.seq = first;
  return f;
}

// `ends`: what holds at the end counts.
std::optional<Finding> JudgeCondition(const CommitHistory& history, const Condition& c,
                                      std::size_t number, bool ends) {
  MatchCount fold(c);
  bool met = false;
  for (const CommittedChange* change : history.Of(c.resource)) {
    if (!fold.Concerns(*change)) continue;
    fold.Take(*change);
    const bool holds = fold.Holds();
    if (c.always && !holds) return Unmet(c, number, fold, change->seq);
    met = met || (holds && (!c.within || change->t <= *c.within));
  }
  if (!ends) return std::nullopt;
  const bool fine = c.always ? fold.Holds() : met || (fold.empty() && fold.Holds());
  if (fine) return std::nullopt;
  return Unmet(c, number, fold, 0);
}

}  // namespace

ExpectationJudgement JudgeExpected(const CommitHistory& history, const trace::Trace& trace) {
  const api::Kinds kinds;
  const bool whole = trace.end && trace.end->result != "interrupted";
  const bool ends = whole && trace.header.mode != "fuzz";
  ExpectationJudgement out;
  std::size_t number = 0;
  for (const Value& e : trace.header.scenario.Get("spec").Get("expect").items()) {
    ++number;
    const std::optional<Condition> condition = Read(e, kinds);
    if (!condition)
      out.why = fmt::format("expectation {} is about what only the run knew", number);
    else if (auto finding = JudgeCondition(history, *condition, number, ends))
      out.findings.push_back(*std::move(finding));
    if (condition && !condition->always && !ends)
      out.why =
          whole ? "what a campaign's run comes to is judged by the run" : "the trace is cut short";
  }
  return out;
}

}  // namespace ksim::check
