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

constexpr std::string_view kWords[] = {"eventually", "finally", "always", "never"};

// One of spec.expect, as a trace's header has it.
struct Condition {
  std::string_view word;
  std::size_t number = 0;  // of the expectation, from 1
  std::string resource, ns, name;
  value::LabelSelector selector;
  value::Where where;
  std::optional<std::int64_t> min, max;
  std::optional<bool> lasts;
  std::optional<std::int64_t> within, after;  // ns

  bool at_every_commit() const { return word == "always" || word == "never"; }
  bool to_the_end() const { return word == "finally" || lasts.value_or(false); }
  bool counts_all() const { return word == "always" && !min && !max; }
  // Whether it says that there is no such object at all: it then speaks of all of the resource.
  bool denies_existence() const {
    if (!where.terms().empty()) return false;
    return word == "never" ? min.value_or(1) <= 1 && !max : word == "always" && max && *max == 0;
  }
};

std::optional<std::int64_t> CountOf(const Value& condition, std::string_view bound) {
  const Value& n = condition.Get("count").Get(bound);
  return n.is_int() ? std::optional<std::int64_t>(n.AsInt()) : std::nullopt;
}

// False if it is there and no duration.
bool ReadTime(const Value& expectation, std::string_view field, std::optional<std::int64_t>* out) {
  if (!expectation.Has(field)) return true;
  const auto time = ParseDuration(expectation.Get(field).AsString());
  if (time.ok()) *out = time->ns();
  return time.ok();
}

// Nothing if it speaks of what cannot be understood here, such as a kind that the run defined.
std::optional<Condition> Read(const Value& expectation, const api::Kinds& kinds) {
  Condition c;
  for (const std::string_view word : kWords)
    if (expectation.Has(word)) c.word = word;
  const Value& tree = expectation.Get(c.word);
  const std::string_view text = tree.Get("resource").AsString();
  const std::size_t slash = text.find('/');
  const api::ResourceInfo* info = kinds.ByName(text.substr(0, slash));
  auto selector = value::LabelSelector::Parse(tree.Get("selector").AsString());
  auto where = value::Where::Parse(tree.Get("where").AsString());
  const bool all = !tree.Has("where");
  if (info == nullptr || !selector.ok() || (!all && !where.ok())) return std::nullopt;
  c.resource = info->known_as();
  if (info->namespaced) c.ns = tree.Has("namespace") ? tree.Get("namespace").AsString() : "default";
  if (slash != std::string_view::npos) c.name = text.substr(slash + 1);
  c.selector = *std::move(selector);
  if (!all) c.where = *std::move(where);
  c.min = CountOf(tree, "min");
  c.max = CountOf(tree, "max");
  if (expectation.Has("lasts")) c.lasts = expectation.Get("lasts").AsBool();
  if (!ReadTime(expectation, "within", &c.within)) return std::nullopt;
  if (!ReadTime(expectation, "after", &c.after)) return std::nullopt;
  return c;
}

// The objects it is about, and whether each is as `where` says.
class MatchCount {
 public:
  explicit MatchCount(const Condition& condition) : condition_(condition) {}

  bool Concerns(const CommittedChange& c) const {
    return condition_.name.empty() || c.name == condition_.name;
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
    if (condition_.counts_all()) return n == static_cast<std::int64_t>(objects_.size());
    bool in_range =
        (!condition_.min || n >= *condition_.min) && (!condition_.max || n <= *condition_.max);
    if (!condition_.min && !condition_.max) in_range = n >= 1;
    return in_range != (condition_.word == "never");
  }
  bool empty() const { return objects_.empty(); }
  // Those that are too many, or that are there and not as they should be.
  std::vector<std::string> Objects() const {
    std::vector<std::string> out;
    const std::string ns = condition_.ns.empty() ? "" : condition_.ns + "/";
    for (const auto& [name, matches] : objects_)
      if (condition_.counts_all() ? !matches : matches || !condition_.at_every_commit())
        out.push_back(fmt::format("{}/{}{}", condition_.resource, ns, name));
    return out;
  }

 private:
  const Condition& condition_;
  std::map<std::string, bool> objects_;  // by name
};

std::string NameOf(const Condition& c) {
  return fmt::format("expectation {} ({}, {})", c.number, c.word, c.resource);
}

std::string At(std::int64_t t) { return FormatDuration(Duration(t)); }

// Folds the commits of one condition.
class ConditionFold {
 public:
  explicit ConditionFold(const Condition& condition)
      : c_(condition), objects_(condition), begun_(!condition.after) {
    if (objects_.Holds()) since_ = 0;
  }

  void Take(const CommittedChange& change) {
    if (finding_ || change.ns != c_.ns) return;
    if (!begun_ && change.t > *c_.after) Begin();
    seen_ = true;
    const bool judges = begun_ || change.t == *c_.after;
    if (objects_.Concerns(change)) {
      if (finding_) return;
      objects_.Take(change);
      last_ = change.seq;
      if (judges) Judge(change);
    }
    applied_ = applied_ || (judges && Applies());
  }

  // `end`: when the run ended, which counts; nothing: the trace does not tell.
  void End(std::optional<std::int64_t> end) {
    if (finding_ || !end) return;
    if (!begun_ && *end >= *c_.after) Begin();
    if (begun_ && !finding_ && Missed())
      Violate(c_.to_the_end() ? lost_by_ : c_.at_every_commit() ? last_ : 0);
    if (finding_) return;
    if (!applied_)
      note_ = fmt::format("{} is vacuous: {}", NameOf(c_),
                          begun_ ? "no object that it speaks of was ever there"
                                 : "the run was over before " + At(*c_.after));
    else if (c_.word == "eventually" && !c_.lasts && met_ && !objects_.Holds())
      note_ = fmt::format("{} held first at {}, and not any more from {} on", NameOf(c_),
                          At(*came_), At(lost_));
  }

  const std::optional<Finding>& finding() const { return finding_; }
  const std::string& note() const { return note_; }

 private:
  bool Applies() const { return c_.denies_existence() ? seen_ : !objects_.empty(); }

  // Judges what there was at the moment `after`.
  void Begin() {
    begun_ = true;
    applied_ = applied_ || Applies();
    if (!objects_.Holds()) Violate(last_);
  }

  void Judge(const CommittedChange& change) {
    const bool holds = objects_.Holds();
    if (c_.at_every_commit() && !holds) return Violate(change.seq);
    if (!holds && since_) {
      lost_ = change.t;
      lost_by_ = change.seq;
    }
    if (!holds) since_.reset();
    if (!holds) return;
    if (!since_) since_ = change.t;
    if (!came_) came_ = change.t;
    met_ = met_ || !c_.within || change.t <= *c_.within;
  }

  bool Missed() const {
    if (c_.word == "eventually" && c_.to_the_end())
      return !since_ || (c_.within && *since_ > *c_.within);
    const bool holds = objects_.Holds();
    return c_.word == "eventually" ? !met_ && !(objects_.empty() && holds) : !holds;
  }

  void Violate(std::uint64_t first) {
    const std::int64_t n = objects_.matching();
    finding_.emplace();
    finding_->violation.oracle = "expect";
    finding_->violation.message =
        fmt::format("{}: there {} {}", NameOf(c_), n == 1 ? "is" : "are", n);
    finding_->violation.objects = objects_.Objects();
    finding_->violation.first = first;
    finding_->seq = first;
  }

  const Condition& c_;
  MatchCount objects_;
  bool begun_;         // `after` is over
  bool seen_ = false;  // some object of the resource
  bool applied_ = false;
  bool met_ = false;
  std::uint64_t last_ = 0, lost_by_ = 0;      // commits
  std::int64_t lost_ = 0;                     // when it ceased to hold
  std::optional<std::int64_t> came_, since_;  // when it held first, and since when it has held
  std::optional<Finding> finding_;
  std::string note_;
};

}  // namespace

ExpectationJudgement JudgeExpected(const CommitHistory& history, const trace::Trace& trace) {
  const api::Kinds kinds;
  const bool whole = trace.end && trace.end->result != "interrupted";
  const bool ends = whole && trace.header.mode != "fuzz";
  ExpectationJudgement out;
  std::size_t number = 0;
  for (const Value& e : trace.header.scenario.Get("spec").Get("expect").items()) {
    ++number;
    std::optional<Condition> condition = Read(e, kinds);
    if (!condition) {
      out.why = fmt::format("expectation {} is about what only the run knew", number);
      continue;
    }
    condition->number = number;
    ConditionFold fold(*condition);
    for (const CommittedChange* change : history.Of(condition->resource)) fold.Take(*change);
    fold.End(ends ? std::optional<std::int64_t>(trace.end->time) : std::nullopt);
    if (fold.finding()) out.findings.push_back(*fold.finding());
    if (!fold.note().empty()) out.notes.push_back(fold.note());
    if (!condition->at_every_commit() && !ends)
      out.why =
          whole ? "what a campaign's run comes to is judged by the run" : "the trace is cut short";
  }
  return out;
}

}  // namespace ksim::check
