#include "ksim/fuzz/campaign.h"

#include <algorithm>
#include <iterator>

#include "ksim/base/hash.h"
#include "ksim/base/os.h"

namespace ksim::fuzz {
namespace {

// The clock is looked at once in so many runs that need not be done.
constexpr std::uint64_t kSkippedPerLook = 1024;

}  // namespace

absl::StatusOr<Campaign> Campaign::Make(const scenario::Scenario& scenario, Executor& executor,
                                        CampaignOptions options) {
  absl::StatusOr<std::unique_ptr<Planner>> planner = MakePlanner(scenario, options.plan);
  if (!planner.ok()) return planner.status();
  return Campaign(scenario, executor, std::move(options), *std::move(planner));
}

Campaign::Campaign(const scenario::Scenario& scenario, Executor& executor, CampaignOptions options,
                   std::unique_ptr<Planner> planner)
    : executor_(&executor),
      options_(std::move(options)),
      planner_(std::move(planner)),
      next_(options_.first),
      started_(os::MonotonicNow()) {
  const std::string& strategy = options_.plan.strategy;
  if (strategy == "pct") {
    tally_.faults["order"] = 0;
    return;
  }
  for (const std::string& kind : KindsOf(scenario)) tally_.faults[kind] = 0;
  if (strategy != "swarm" && strategy != "coverage" && strategy != "causal")
    tally_.faults.erase("order");  // never asked
}

bool Campaign::Stop() {
  if (options_.interrupted()) tally_.interrupted = true;
  if (options_.time && os::MonotonicNow() - started_ > *options_.time) tally_.out_of_time = true;
  tally_.budget_spent = BudgetSpent();
  return tally_.interrupted || tally_.out_of_time || tally_.budget_spent;
}

bool Campaign::BudgetSpent() const {
  return (options_.most_runs > 0 && tally_.runs >= options_.most_runs) ||
         (options_.most_events > 0 && tally_.events >= options_.most_events);
}

Pace Campaign::Look() {
  CampaignProgress progress(tally_);
  progress.runs = runs_;
  progress.events = events_;
  progress.failing = failing_;
  progress.total = Total();
  progress.total -= std::min(progress.total, tally_.equivalent);
  progress.lasted = os::MonotonicNow() - started_;
  progress.time = options_.time;
  progress.most_events = options_.most_events;
  options_.on_progress(progress);
  // Also counts what is done and not merged: jobs begin in their order, so those that are under way
  // or done are enough.
  const bool enough = options_.most_events > 0 && events_ >= options_.most_events;
  if (!Stop()) return enough ? Pace::kFinish : Pace::kGoOn;
  return tally_.interrupted ? Pace::kBreakOff : Pace::kFinish;
}

std::uint64_t Campaign::Total() const {
  constexpr std::uint64_t kNoEnd = std::uint64_t{1} << 62;
  const std::uint64_t last = std::min(options_.last, planner_->size());
  if (last >= kNoEnd) return options_.most_runs;
  const Shard& shard = options_.shard;
  // How many of the shard there are up to a number.
  const auto up_to = [&shard](std::uint64_t n) {
    const std::uint64_t index = shard.index % shard.count;
    return index == 0 ? n / shard.count : (n + shard.count - index) / shard.count;
  };
  const std::uint64_t all = last < options_.first ? 0 : up_to(last) - up_to(options_.first - 1);
  return options_.most_runs > 0 ? std::min(all, options_.most_runs) : all;
}

std::vector<Job> Campaign::NextBatch() {
  const std::uint64_t last = std::min(options_.last, planner_->size());
  std::vector<Job> jobs;
  std::uint64_t most = kBatch;
  if (options_.most_runs > 0) most = std::min(most, options_.most_runs - tally_.runs);
  for (; next_ <= last && jobs.size() < most; ++next_) {
    if (!jobs.empty() && planner_->BeginsBatch(next_)) break;
    if (!options_.shard.Has(next_)) continue;
    if (planner_->Skips(next_)) {
      if (++tally_.equivalent % kSkippedPerLook == 0 && Stop()) break;
      continue;
    }
    Job job = planner_->JobOf(next_);
    job.coverage |= options_.coverage;
    job.twice = Draws(next_).Below(1000, Hash64("recheck")) < options_.recheck_permille;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

namespace {

void NoteOther(const Job& job, const RunOutcome& o, Failure* failure) {
  constexpr std::size_t kMost = 8;
  ++failure->count;
  if (failure->others.size() >= kMost) return;
  FailingRun run;
  for (const auto& [kind, n] : o.faults)
    if (n > 0) run.kinds.insert(kind);
  const auto has_all_of = [&run](const FailingRun& other) {
    return std::includes(run.kinds.begin(), run.kinds.end(), other.kinds.begin(),
                         other.kinds.end());
  };
  if (std::any_of(failure->others.begin(), failure->others.end(), has_all_of)) return;
  run.job = job;
  run.number = o.number;
  failure->others.push_back(std::move(run));
}

}  // namespace

void Campaign::Merge(const Job& job, const RunOutcome& o) {
  ++tally_.runs;
  tally_.events += o.events;
  tally_.rechecked += job.twice ? 1 : 0;
  if (tally_.first == 0) tally_.first = o.number;
  tally_.last = o.number;
  for (const auto& [kind, n] : o.faults) tally_.faults[kind] += n;
  tally_.coverage.insert(o.coverage.begin(), o.coverage.end());
  tally_.probes.insert(o.probes.begin(), o.probes.end());
  tally_.applied.insert(o.applied.begin(), o.applied.end());
  tally_.invariants_applied.insert(o.invariants_applied.begin(), o.invariants_applied.end());
  tally_.judged += o.judged ? 1 : 0;
  for (const FailedStep& step : o.failed_steps) {
    FailedStepCount& count = tally_.failed_steps[step.number];
    if (count.runs++ > 0) continue;
    count.first = o.number;
    count.error = step.error;
  }
  if (o.code == kUndecided) tally_.undecided.push_back(o.number);
  if (o.findings.empty()) return;
  const CampaignFinding& finding = o.findings.front();
  const auto [it, added] = by_key_.emplace(finding.Key(), tally_.failures.size());
  if (!added) {
    NoteOther(job, o, &tally_.failures[it->second]);
    return;
  }
  Failure failure;
  failure.finding = finding;
  failure.job = job;
  failure.number = o.number;
  failure.code = o.code;
  failure.decisions = o.decisions;
  failure.count = 1;
  tally_.failures.push_back(failure);
  options_.on_failure(failure);
}

void Campaign::Do(const std::vector<Job>& jobs) {
  const auto count = [this](const RunOutcome& o) {
    ++runs_;
    events_ += o.events;
    failing_ += o.findings.empty() ? 0 : 1;
  };
  std::vector<RunOutcome> outcomes = executor_->Do(jobs, [this] { return Look(); }, count);
  std::size_t merged = 0;
  for (; merged < outcomes.size() && !BudgetSpent(); ++merged)
    Merge(jobs[merged], outcomes[merged]);
  outcomes.resize(merged);  // those beyond the budget were done too early
  planner_->Learn(outcomes);
}

Tally Campaign::Execute() {
  const std::vector<Job> opening = planner_->Opening();
  if (!opening.empty() && !Stop()) Do(opening);
  while (!Stop()) {
    const std::vector<Job> jobs = NextBatch();
    if (jobs.empty()) break;
    Do(jobs);
  }
  return tally_;
}

}  // namespace ksim::fuzz
