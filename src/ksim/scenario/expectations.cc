#include "ksim/scenario/expectations.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/store/events.h"
#include "ksim/store/object_key.h"
#include "ksim/trace/events.h"

namespace ksim::scenario {
namespace {

std::string CountText(const Expectation& e) {
  if (!e.min && !e.max) return e.always ? "all" : "at least 1";
  if (e.min && e.max)
    return *e.min == *e.max ? fmt::format("{}", *e.min) : fmt::format("{} to {}", *e.min, *e.max);
  return e.min ? fmt::format("at least {}", *e.min) : fmt::format("at most {}", *e.max);
}

}  // namespace

std::string Describe(const Expectation& e) {
  std::string text =
      fmt::format("{} {} {}", e.always ? "always" : "eventually", CountText(e), e.resource);
  if (!e.name.empty()) text += "/" + e.name;
  if (!e.selector.empty()) text += " with " + e.selector;
  if (!e.where.terms().empty()) text += " where " + e.where.ToString();
  if (e.within) text += " within " + FormatDuration(*e.within);
  return text;
}

Expectations::Expectations(sim::Simulation& sim, const api::Kinds& kinds,
                           std::vector<Expectation> list)
    : sim_(sim) {
  for (Expectation& e : list) {
    Judged j;
    if (const api::ResourceInfo* info = kinds.ByName(e.resource)) j.resource = info->resource;
    absl::StatusOr<value::LabelSelector> selector = value::LabelSelector::Parse(e.selector);
    if (selector.ok()) j.selector = *std::move(selector);
    j.what = std::move(e);
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
    if (!j.what.name.empty() && j.what.name != parts->name) continue;
    Update(j, fmt::format("{}/{}", parts->ns, parts->name),
           there ? commit.kv.value() : value::Value(), there);
    const bool holds = Holds(j);
    const bool late = j.what.within && e.time > VirtualTime() + *j.what.within;
    if (j.what.always && !holds) Violate(j, e.seq);
    if (j.what.always || !holds) continue;
    if (!late) j.met = true;
    if (!j.came) j.came = e.time;
  }
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

bool Expectations::Holds(const Judged& j) const {
  if (!j.what.min && !j.what.max) {
    if (!j.what.always) return j.matching >= 1;
    return j.matching == static_cast<std::int64_t>(j.objects.size());
  }
  return (!j.what.min || j.matching >= *j.what.min) && (!j.what.max || j.matching <= *j.what.max);
}

// Words an expectation that is not met: how many objects match, or when they matched too late.
std::string Expectations::Observed(const Judged& j) {
  if (!j.what.always && j.came)
    return fmt::format("it came true at {}", FormatDuration(*j.came - VirtualTime()));
  return fmt::format("there {} {}", j.matching == 1 ? "is" : "are", j.matching);
}

void Expectations::Violate(Judged& j, std::uint64_t first) {
  j.violated = true;
  trace::Violation v;
  v.oracle = "expect";
  v.message = fmt::format("{}: {}", Describe(j.what), Observed(j));
  for (const auto& [key, matches] : j.objects)
    if (matches == j.what.always || !j.what.always) v.objects.push_back(j.resource + "/" + key);
  v.first = first;
  violations_.push_back(v);
  auto emit = [this, v = std::move(v)] {
    sim_.EmitAs(sim::ActorId::Of("ksim"), v.first, sim::EventInfo{sim::EventKind::kViolation},
                sim::MakePayload<trace::ViolationPayload>(v));
  };
  if (first != 0)
    sim_.Defer(std::move(emit));
  else
    emit();
}

std::vector<bool> Expectations::PassedThrough() const {
  std::vector<bool> out;
  for (const Judged& j : judged_) out.push_back(!j.what.always && j.met && !Holds(j));
  return out;
}

void Expectations::Close(std::initializer_list<std::string_view> not_judged) {
  for (Judged& j : judged_) {
    if (std::find(not_judged.begin(), not_judged.end(), j.resource) != not_judged.end()) continue;
    // Nothing of the resource was ever committed: an empty collection may satisfy a count.
    const bool empty_holds = j.objects.empty() && Holds(j);
    const bool missed = j.what.always ? !j.violated && !Holds(j) : !j.met && !empty_holds;
    if (missed) Violate(j, 0);
  }
}

}  // namespace ksim::scenario
