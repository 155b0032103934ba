#include "ksim/scenario/expectations.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/store/events.h"
#include "ksim/store/object_key.h"
#include "ksim/trace/events.h"

namespace ksim::scenario {
namespace {

using Word = ExpectationWord;

std::string CountText(const Expectation& e) {
  if (!e.min && !e.max) return e.word == Word::kAlways ? "all" : "at least 1";
  if (e.min && e.max)
    return *e.min == *e.max ? fmt::format("{}", *e.min) : fmt::format("{} to {}", *e.min, *e.max);
  return e.min ? fmt::format("at least {}", *e.min) : fmt::format("at most {}", *e.max);
}

bool MustLast(const Expectation& e) { return e.lasts.value_or(false); }

std::string At(VirtualTime t) { return FormatDuration(t - VirtualTime()); }

// Whether it says that there is no such object at all. Then it speaks of every object of the
// resource, not only of those whose presence breaks it.
bool DeniesExistence(const Expectation& e) {
  if (!e.where.terms().empty()) return false;
  if (e.word == Word::kNever) return e.min.value_or(1) <= 1 && !e.max;
  return e.word == Word::kAlways && e.max && *e.max == 0;
}

bool AsksOfAll(const Expectation& e) { return e.word == Word::kAlways && !e.min && !e.max; }

// Whether a violation names an object, of which `where` holds or not: those that are too many, or
// that are not as they should be; all that are selected where too few are.
bool IsToBlame(const Expectation& e, bool matches) {
  if (AsksOfAll(e)) return !matches;
  return matches || !e.at_every_commit();
}

bool CountIs(const Expectation& e, std::int64_t n) {
  if (!e.min && !e.max) return n >= 1;
  return (!e.min || n >= *e.min) && (!e.max || n <= *e.max);
}

}  // namespace

std::string_view ToString(ExpectationWord word) {
  static constexpr std::string_view kWords[] = {"eventually", "finally", "always", "never"};
  return kWords[static_cast<int>(word)];
}

std::string Describe(const Expectation& e) {
  std::string text = fmt::format("{}{} {} {}", ToString(e.word), MustLast(e) ? " for good" : "",
                                 CountText(e), e.resource);
  if (!e.name.empty()) text += "/" + e.name;
  if (!e.selector.empty()) text += " with " + e.selector;
  if (!e.where.terms().empty()) text += " where " + e.where.ToString();
  if (e.within) text += " within " + FormatDuration(*e.within);
  if (e.after) text += " after " + FormatDuration(*e.after);
  return text;
}

Expectations::Expectations(sim::Simulation& sim, const api::Kinds& kinds,
                           std::vector<Expectation> list)
    : sim_(sim) {
  for (Expectation& e : list) {
    Judged j;
    if (const api::ResourceInfo* info = kinds.ByName(e.resource)) j.resource = info->known_as();
    absl::StatusOr<value::LabelSelector> selector = value::LabelSelector::Parse(e.selector);
    if (selector.ok()) j.selector = *std::move(selector);
    j.begun = !e.after;
    j.what = std::move(e);
    if (Holds(j)) j.since = VirtualTime();
    judged_.push_back(std::move(j));
  }
  if (judged_.empty()) return;
  sim.bus().Subscribe(sim::Bus::Stage::kOracle, {sim::EventKind::kCommit},
                      [this](const sim::Event& e) { OnCommit(e); });
}

void Expectations::OnCommit(const sim::Event& e) {
  const auto& commit = e.payload.As<store::CommitPayload>();
  const std::optional<store::ObjectParts>& parts = commit.parts();
  if (!parts) return;
  const bool there = commit.op != store::CommitOp::kDelete;
  for (Judged& j : judged_) {
    if (j.violated || j.resource != parts->resource) continue;
    if (!parts->ns.empty() && j.what.ns != parts->ns) continue;
    if (!j.begun && e.time > VirtualTime() + *j.what.after) BeginAfter(j);
    if (j.violated) continue;
    const bool judges = j.begun || e.time == VirtualTime() + *j.what.after;
    j.seen = true;
    if (judges) j.applied = j.applied || Applies(j);
    if (!j.what.name.empty() && j.what.name != parts->name) continue;
    Update(j, fmt::format("{}/{}", parts->ns, parts->name),
           there ? commit.kv.value() : value::Value(), there);
    j.last = e.seq;
    if (!judges) continue;
    j.applied = j.applied || Applies(j);
    Judge(j, e.time, e.seq);
  }
}

void Expectations::Judge(Judged& j, VirtualTime now, std::uint64_t commit) {
  const bool holds = Holds(j);
  if (j.what.at_every_commit()) {
    if (!holds) Violate(j, commit, true);
    return;
  }
  if (!holds && j.since) {
    j.lost = now;
    j.lost_by = commit;
  }
  if (!holds) j.since.reset();
  if (!holds) return;
  if (!j.since) j.since = now;
  if (!j.came) j.came = now;
  if (!j.what.within || now <= VirtualTime() + *j.what.within) j.met = true;
}

void Expectations::BeginAfter(Judged& j) {
  j.begun = true;
  j.applied = Applies(j);
  if (!Holds(j)) Violate(j, j.last, true);
}

void Expectations::Update(Judged& j, const std::string& key, const value::Value& object,
                          bool there) {
  const auto it = j.objects.find(key);
  if (it != j.objects.end()) {
    j.matching -= it->second ? 1 : 0;
    j.objects.erase(it);
  }
  if (!there || !j.selector.Matches(object.Get("metadata").Get("labels"))) return;
  const bool matches = j.what.where.Matches(object);
  j.objects.emplace(key, matches);
  j.matching += matches ? 1 : 0;
}

bool Expectations::Applies(const Judged& j) {
  return DeniesExistence(j.what) ? j.seen : !j.objects.empty();
}

bool Expectations::Holds(const Judged& j) {
  if (AsksOfAll(j.what)) return j.matching == static_cast<std::int64_t>(j.objects.size());
  return CountIs(j.what, j.matching) != (j.what.word == Word::kNever);
}

// Words an expectation that is not met: how many objects match, or when they matched too late or
// ceased to.
std::string Expectations::Observed(const Judged& j) {
  const std::string count = fmt::format("there {} {}", j.matching == 1 ? "is" : "are", j.matching);
  if (j.what.at_every_commit() || !j.came) return count;
  const bool to_the_end = MustLast(j.what) || j.what.word == Word::kFinally;
  if (to_the_end && !j.since)
    return fmt::format("{}; it held first at {}, and not any more from {} on", count, At(*j.came),
                       At(j.lost));
  if (to_the_end) return fmt::format("it has held for good only since {}", At(*j.since));
  return fmt::format("it came true at {}", At(*j.came));
}

// `running`: a commit has just shown it, and others have yet to hear of that commit.
void Expectations::Violate(Judged& j, std::uint64_t first, bool running) {
  j.violated = true;
  trace::Violation v;
  v.oracle = "expect";
  v.message = fmt::format("{}: {}", Describe(j.what), Observed(j));
  for (const auto& [key, matches] : j.objects)
    if (IsToBlame(j.what, matches)) v.objects.push_back(j.resource + "/" + key);
  v.first = first;
  violations_.push_back(v);
  auto emit = [this, v = std::move(v)] {
    sim_.EmitAs(sim::ActorId::Of("ksim"), v.first, sim::EventInfo{sim::EventKind::kViolation},
                sim::MakePayload<trace::ViolationPayload>(v));
  };
  if (running)
    sim_.Defer(std::move(emit));
  else
    emit();
}

// Whether the run is over and what was to come true has not.
bool Expectations::Missed(const Judged& j) {
  // Nothing of the resource was ever committed: an empty collection may satisfy a count.
  const bool empty_holds = j.objects.empty() && Holds(j);
  switch (j.what.word) {
    case Word::kEventually:
      if (!MustLast(j.what)) return !j.met && !empty_holds;
      return !j.since || (j.what.within && *j.since > VirtualTime() + *j.what.within);
    case Word::kFinally:
      return !Holds(j);
    default:
      return j.begun && !j.violated && !Holds(j);
  }
}

void Expectations::Close(std::span<const std::string_view> not_judged) {
  for (Judged& j : judged_) {
    if (!j.begun && sim_.now() >= VirtualTime() + *j.what.after) {
      j.begun = true;
      j.applied = j.applied || Applies(j);
    }
    if (std::find(not_judged.begin(), not_judged.end(), j.resource) != not_judged.end()) continue;
    if (!Missed(j)) continue;
    const bool may_come_late = j.what.word == Word::kEventually && !MustLast(j.what);
    Violate(j, may_come_late ? 0 : j.what.at_every_commit() ? j.last : j.lost_by, false);
  }
}

std::vector<bool> Expectations::PassedThrough() const {
  std::vector<bool> out;
  for (const Judged& j : judged_)
    out.push_back(j.what.word == Word::kEventually && !MustLast(j.what) && j.met && !Holds(j));
  return out;
}

std::vector<bool> Expectations::Applied() const {
  std::vector<bool> out;
  for (const Judged& j : judged_) out.push_back(j.applied || j.violated);
  return out;
}

std::vector<ExpectationNote> Expectations::Vacuous() const {
  std::vector<ExpectationNote> out;
  for (std::size_t i = 0; i < judged_.size(); ++i) {
    const Judged& j = judged_[i];
    if (j.applied || j.violated) continue;
    ExpectationNote note;
    note.number = static_cast<std::int64_t>(i) + 1;
    note.expectation = Describe(j.what);
    note.why = j.begun ? "no object that it speaks of was ever there"
                       : fmt::format("the run was over before {}", FormatDuration(*j.what.after));
    out.push_back(std::move(note));
  }
  return out;
}

std::vector<ExpectationNote> Expectations::NotLasting() const {
  std::vector<ExpectationNote> out;
  for (std::size_t i = 0; i < judged_.size(); ++i) {
    const Judged& j = judged_[i];
    const bool told = j.what.word != Word::kEventually || j.what.lasts.has_value();
    if (told || !j.met || Holds(j)) continue;
    ExpectationNote note;
    note.number = static_cast<std::int64_t>(i) + 1;
    note.expectation = Describe(j.what);
    note.why =
        fmt::format("it held first at {}, and not any more from {} on", At(*j.came), At(j.lost));
    out.push_back(std::move(note));
  }
  return out;
}

}  // namespace ksim::scenario
