#include "ksim/check/invariant_judges.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ksim/base/hash.h"
#include "ksim/check/facts.h"
#include "ksim/check/invariant_tree.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

// The process of the steps' commands (scenario/world.h, kubectl).
constexpr std::string_view kUser = "kubectl";
constexpr int kTimeout = 504;

std::string PromiseOf(const Invariant& i) {
  switch (i.kind) {
    case InvariantKind::kLeadsTo:
      return "Whenever " + i.expression + ", then " + i.then +
             (i.within ? " within " + FormatDuration(*i.within) : "") + ", of " +
             ObjectsInWords(i) + ".";
    case InvariantKind::kStable:
      return "At most " + std::to_string(i.writes) + " writes of " + ObjectsInWords(i) + " from " +
             FormatDuration(i.after) + " after the last step and fault on.";
    default:
      return std::string(ToString(i.kind)) + " " + i.expression + ", of " + ObjectsInWords(i) + ".";
  }
}

// As a campaign does with expectations (scenario/runner.cc, CloseExpectations).
bool IsLeftUndone(const Facts& facts, std::string_view resource) {
  if (facts.given_up().any()) return true;
  return std::find(std::begin(kHeldUpByAWait), std::end(kHeldUpByAWait), resource) !=
             std::end(kHeldUpByAWait) &&
         facts.AControllerWaits();
}

}  // namespace

InvariantOracle::InvariantOracle(Invariant invariant)
    : NamedOracleInfo(OracleOf(invariant), PromiseOf(invariant)),
      Oracle(NamedOracleInfo::info()),
      invariant_(std::move(invariant)) {}

InvariantJudges::InvariantJudges(const InvariantSet& set, const Facts& facts)
    : campaign_(set.campaign), owners_(facts.history()) {
  InvariantSurroundings surroundings;
  surroundings.owners = &owners_;
  surroundings.campaign = campaign_;
  for (const Invariant& invariant : set.list) {
    judges_.push_back(MakeInvariantOracle(invariant, surroundings));
    InvariantOracle* judge = judges_.back().get();
    by_resource_[Hash64(invariant.resource)].push_back(judge);
    // Another kind may have the plural too: then only one of the names means the group.
    if (!invariant.group.empty()) by_resource_[Hash64(ResourceOf(invariant))].push_back(judge);
    if (invariant.kind == InvariantKind::kLeadsTo) timed_.push_back(judge);
    owned_ = owned_ || judge->AsksForOwners();
  }
}

void InvariantJudges::Take(const Facts& facts, const Observation& o,
                           const std::function<void(Oracle&)>& found) {
  if (campaign_ && !forgiven_) WatchTheUser(o);
  if (o.kind == Kind::kCommit) TakeCommit(facts, o, found);
}

void InvariantJudges::TakeCommit(const Facts& facts, const Observation& o,
                                 const std::function<void(Oracle&)>& found) {
  if (owned_) owners_.Take(o);
  PassDeadlines(facts, o.t, found);
  const auto concerned = by_resource_.find(Hash64(o.resource));
  if (concerned == by_resource_.end()) return;
  for (InvariantOracle* judge : concerned->second) {
    judge->On(facts, o);
    if (judge->found()) found(*judge);
  }
}

// The state at the deadline is the one before this commit: what it writes came too late.
void InvariantJudges::PassDeadlines(const Facts& facts, std::int64_t now,
                                    const std::function<void(Oracle&)>& found) {
  for (InvariantOracle* judge : timed_) {
    if (judge->deadline() >= now) continue;
    judge->Pass(facts, now);
    if (judge->found()) found(*judge);
  }
}

// As a campaign does with expectations (scenario/observers/late_writes.h): it may have made a
// command fail, or come true after the user gave it up and typed the next.
void InvariantJudges::WatchTheUser(const Observation& o) {
  if (o.kind == Kind::kResponse && o.actor == kUser && (o.lost || o.code == kTimeout))
    given_up_.insert(o.request);
  if (o.kind == Kind::kCommit && !given_up_.empty()) forgiven_ = given_up_.contains(o.request);
  if (o.kind == Kind::kStep && o.result.starts_with("error")) forgiven_ = true;
}

void InvariantJudges::Finish(const Facts& facts, const RunEnd& end,
                             const std::function<void(Oracle&)>& found) {
  for (const auto& judge : judges_) {
    if (judge->deadline() < end.t) judge->Pass(facts, end.t);
    if (forgiven_) judge->ForgiveTheEnd();
    if (campaign_ && IsLeftUndone(facts, judge->invariant().resource)) judge->ForgiveTheEndOfEach();
    judge->Finish(facts, end);
    if (judge->found()) found(*judge);
  }
}

}  // namespace ksim::check
