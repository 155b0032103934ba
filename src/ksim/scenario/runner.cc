#include "ksim/scenario/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/base/version.h"
#include "ksim/scenario/work_hold.h"
#include "ksim/sim/network.h"
#include "ksim/store/events.h"
#include "ksim/trace/events.h"
#include "ksim/trace/state.h"
#include "ksim/value/json.h"

namespace ksim::scenario {

namespace {

// The cluster counts as up when nothing was left to do for this long; it gets so much time.
constexpr Duration kBootQuiet = Milliseconds(100);
constexpr Duration kBootLimit = Seconds(60);
constexpr std::size_t kMostBusyLines = 10;
// The longest that a work queue lets a key wait (client-go workqueue/default_rate_limiters.go):
// what failed while there were faults may be tried only then.
constexpr Duration kLongestBackOff = Seconds(1000);
// Where nothing has happened for so long nothing will: longer than expectations and tolerations
// last (5 min), the longest times that a controller waits before it acts.
constexpr Duration kStandstill = Minutes(6);

sim::ActorId Narrator() { return sim::ActorId::Of("ksim"); }

// While everything goes wrong nothing can be promised in time: only that it comes.
std::vector<Expectation> ExpectedOf(const Scenario& scenario, bool fuzz) {
  std::vector<Expectation> list = scenario.expect;
  for (Expectation& e : list)
    if (fuzz) e.within.reset();
  return list;
}

}  // namespace

Runner::Runner(const Scenario& scenario, RunnerOptions options)
    : scenario_(scenario),
      options_(std::move(options)),
      world_(scenario_, options_.world),
      triggers_(world_.sim()),
      injector_(world_),
      expectations_(world_.sim(), world_.kinds(), ExpectedOf(scenario_, options_.fuzz.has_value())),
      checks_(world_.sim(), scenario_.checks, scenario_.compat) {
  if (options_.fuzz || AnswersDrawnFaults())
    drawn_ = std::make_unique<fault::DrawnFaults>(injector_, world_,
                                                  fault::AllowedKinds(scenario_.fuzz.faults));
  if (options_.fuzz)
    late_writes_ = std::make_unique<LateWrites>(world_.sim().bus(), world_.user().actor());
  if (options_.record) recorder_ = std::make_unique<trace::Recorder>(world_.sim().bus());
  MakeGroups();
  world_.OnUserStart([this] { BeginAgain(); });
  world_.sim().bus().Subscribe(sim::Bus::Stage::kWriter,
                               {sim::EventKind::kCommit, sim::EventKind::kRequest},
                               [this](const sim::Event& e) { Count(e); });
  if (options_.stop)
    world_.sim().bus().Subscribe(sim::Bus::Stage::kWriter, options_.stop_after,
                                 [this](const sim::Event& e) { StopIfAsked(e); });
}

// Whether an override is about a fault that nobody but a fuzzed run asks for.
bool Runner::AnswersDrawnFaults() const {
  const auto about = [](const sim::Override& o) { return o.site.starts_with("fault."); };
  return std::any_of(scenario_.overrides.begin(), scenario_.overrides.end(), about) ||
         std::any_of(options_.world.overrides.begin(), options_.world.overrides.end(), about);
}

std::vector<FaultSpec> Runner::DrawnScript() const {
  return drawn_ && recorder_ ? drawn_->FiredAsScript(recorder_->events())
                             : std::vector<FaultSpec>();
}

Runner::~Runner() { world_.sim().Shutdown(); }

void Runner::Count(const sim::Event& e) {
  if (e.kind == sim::EventKind::kCommit) ++report_.commits;
  if (e.kind == sim::EventKind::kRequest) ++report_.requests;
}

void Runner::StopIfAsked(const sim::Event& e) {
  if (report_.stopped || !options_.stop(e)) return;
  report_.stopped = true;
  world_.sim().RequestStop();
}

std::uint64_t Runner::EmitPhase(const char* name) {
  return world_.sim().EmitAs(Narrator(), 0, sim::EventInfo{sim::EventKind::kPhase},
                             sim::MakePayload<trace::PhasePayload>(name));
}

void Runner::Boot() {
  world_.Start();
  sim::Simulation::Limits limits;
  limits.time = VirtualTime() + std::min(kBootLimit, scenario_.limit.time);
  if (scenario_.until && !options_.fuzz)
    limits.time = std::min(limits.time, VirtualTime() + *scenario_.until);
  limits.events = static_cast<std::uint64_t>(scenario_.limit.events);
  limits.instant = static_cast<std::uint64_t>(scenario_.limit.instant);
  world_.sim().RunUntilQuiet(kBootQuiet, limits);
}

sim::Simulation::Stop Runner::RunWorkload() {
  sim::Simulation& sim = world_.sim();
  sim::Simulation::Limits limits;
  limits.time = VirtualTime() + scenario_.limit.time;
  limits.events = static_cast<std::uint64_t>(scenario_.limit.events);
  limits.instant = static_cast<std::uint64_t>(scenario_.limit.instant);
  if (!scenario_.until) {
    if (!scenario_.faults.empty()) WatchForStandstill();
    for (;;) {
      const sim::Simulation::Stop stop = sim.RunUntilQuiet(scenario_.quiet_for, limits);
      const bool still = std::exchange(stands_still_, false);
      const bool over = stop == sim::Simulation::Stop::kQuiescent || still;
      if (report_.stopped || !over) return stop;
      if (injector_.in_force() > 0)
        Heal();
      else if (!still)
        return stop;
    }
  }
  const bool within = *scenario_.until <= scenario_.limit.time;
  if (within) limits.time = VirtualTime() + *scenario_.until;
  const WorkHold hold(sim);
  const sim::Simulation::Stop stop = sim.RunUntilQuiet(scenario_.quiet_for, limits);
  return within && stop == sim::Simulation::Stop::kTimeLimit ? sim::Simulation::Stop::kTimeReached
                                                             : stop;
}

namespace {

// Whether anything has come about. Leases, heartbeats and what is written about things change
// nothing that anybody acts on, and requests that fail for ever are none of it either.
bool IsChange(const sim::Event& e) {
  switch (e.kind) {
    case sim::EventKind::kStep:
    case sim::EventKind::kFault:
      return true;
    case sim::EventKind::kCommit: {
      const auto& parts = e.payload.As<store::CommitPayload>().parts();
      const bool told = parts && (parts->resource == "leases" || parts->resource == "events");
      return !e.background && !told;
    }
    case sim::EventKind::kHandler:
      return !e.background;
    default:
      return false;
  }
}

}  // namespace

// Who tries for ever to reach a server that is down keeps the run from being quiet, and a fault
// that only the heal ends keeps the server down: so the run stops, to be healed, where for
// kStandstill nothing else has happened. Who tells of each try changes something every time: there
// it is half of the time that the run has, from the last step or fault on.
void Runner::WatchForStandstill() {
  const Duration patience = std::max(kStandstill, Duration(scenario_.limit.time.ns() / 2));
  last_change_ = last_deed_ = world_.sim().now();
  world_.sim().bus().Subscribe(sim::Bus::Stage::kWriter, [this, patience](const sim::Event& e) {
    if (IsChange(e)) last_change_ = e.time;
    if (e.kind == sim::EventKind::kStep || e.kind == sim::EventKind::kFault) last_deed_ = e.time;
    if (stands_still_) return;
    if (e.time - last_change_ < kStandstill && e.time - last_deed_ < patience) return;
    if (AStepWillEnd() || !injector_.only_the_heal_ends()) return;
    stands_still_ = true;
    world_.sim().RequestStop();
  });
}

// Nothing is left to do but for faults that nobody ends: they end now.
void Runner::Heal() {
  healed_ = last_change_ = world_.sim().now();
  if (drawn_) drawn_->Close();
  const std::uint64_t heal = EmitPhase("heal");
  world_.EmitCaches(heal);
  injector_.HealAll(heal);
}

sim::Simulation::Stop Runner::RunFaultsAndHeal() {
  using Stop = sim::Simulation::Stop;
  sim::Simulation& sim = world_.sim();
  const FuzzPhases& fuzz = *options_.fuzz;
  const auto tell = [&fuzz](bool open) {
    if (fuzz.on_window) fuzz.on_window(open);
  };
  sim::Simulation::Limits limits;
  limits.events = static_cast<std::uint64_t>(scenario_.limit.events);
  limits.instant = static_cast<std::uint64_t>(scenario_.limit.instant);
  limits.time = sim.now() + std::max(fuzz.window, scenario_.until.value_or(Duration()));
  EmitPhase("faults");
  tell(true);
  Stop stop = sim.RunUntilQuiet(scenario_.quiet_for, limits);
  tell(false);
  if (stop != Stop::kQuiescent && stop != Stop::kTimeLimit) return stop;
  Heal();
  EmitPhase("settle");
  limits.time = sim.now() + fuzz.settle + sim::kExtraDelays.back() + kLongestBackOff;
  return sim.RunUntilQuiet(scenario_.quiet_for, limits);
}

// Steps and faults that have not ended, then the kernel's own list.
std::vector<std::string> Runner::WhatKeptItBusy() {
  std::vector<std::string> out;
  for (const Group& group : groups_) {
    if (!group.running || group.broken_off) continue;
    const Step& step = scenario_.steps[*group.running];
    out.push_back(fmt::format("step {} ({} {}) has not ended", *group.running + 1,
                              ToString(step.kind), TargetOf(step)));
  }
  for (const std::string& fault : injector_.DescribeInForce())
    out.push_back(fmt::format("the fault {} is in force", fault));
  for (std::string& line : world_.sim().DescribePendingWork(kMostBusyLines))
    out.push_back(std::move(line));
  return out;
}

void Runner::NoteFaults() {
  injector_.GiveUp();
  for (std::size_t i = 0; i < injector_.outcomes().size(); ++i) {
    const fault::FaultOutcome& outcome = injector_.outcomes()[i];
    if (outcome.state == fault::FaultOutcome::State::kFired) continue;
    FaultNote note;
    note.number = static_cast<std::int64_t>(i) + 1;
    note.fault =
        fmt::format("{} {}", scenario_.faults[i].verb, fault::TargetOf(scenario_.faults[i]));
    note.why = outcome.why;
    if (outcome.state == fault::FaultOutcome::State::kNotFired)
      note.why =
          scenario_.faults[i].at ? "the run was over before its time" : "its trigger did not come";
    report_.faults_missing.push_back(std::move(note));
  }
}

// What is left to say when nothing more will happen.
void Runner::Judge(sim::Simulation::Stop stop) {
  using Stop = sim::Simulation::Stop;
  if (stop == Stop::kTimeLimit || stop == Stop::kEventLimit || stop == Stop::kInstantLimit) {
    report_.busy = WhatKeptItBusy();
    trace::Violation v;
    v.oracle = "limit";
    const char* which = stop == Stop::kTimeLimit ? "time" : "events";
    if (stop == Stop::kInstantLimit) which = "instant";
    v.message = fmt::format("not quiet when limit.{} had passed", which);
    if (!report_.busy.empty()) v.message += "; busy with: " + report_.busy.front();
    report_.end.violations.push_back(v);
    world_.sim().EmitAs(Narrator(), 0, sim::EventInfo{sim::EventKind::kViolation},
                        sim::MakePayload<trace::ViolationPayload>(v));
  }
  NoteSteps();
  NoteFaults();
}

// Which oracles have judged the run, and why others have not.
void Runner::NameOracles(trace::End* end) const {
  end->judged = checks_.checker().judged();
  end->not_judged = checks_.checker().not_judged();
  for (const char* own : {"limit", "expect"})
    if (check::Selected(scenario_.checks, own)) end->judged.emplace_back(own);
}

// In the order: expectations, oracles, the limit that Judge may have reported.
void Runner::SetResult() {
  trace::End& end = report_.end;
  std::vector<trace::Violation> all = expectations_.violations();
  bool safety = !all.empty() || !report_.failures.empty();
  bool liveness = !end.violations.empty();
  for (const check::Finding& f : checks_.findings()) {
    all.push_back(f.violation);
    (f.guarantee == check::Guarantee::kSafety ? safety : liveness) = true;
  }
  all.insert(all.end(), end.violations.begin(), end.violations.end());
  end.violations = std::move(all);
  end.result = "ok";
  if (safety || liveness) end.result = "violation";
  if (end.violations.empty() && !report_.failures.empty()) end.result = "stepFailed";
  if (report_.stopped) end.result = "interrupted";
  report_.exit_code = safety ? 1 : liveness ? 3 : 0;
}

// In a campaign the end is what the scenario speaks of only if its steps came true, each once and
// in their order. It may also have led a controller to wait for a pod that nobody will ever see, as
// upstream's does (docs/fidelity.md): of its pods nothing is to be expected then.
void Runner::CloseExpectations() {
  if (!options_.fuzz) return expectations_.Close();
  if (late_writes_->any() || !report_.failures.empty()) return;
  if (AControllerWaits()) return expectations_.Close({"pods", "replicasets"});
  expectations_.Close();
}

bool Runner::AControllerWaits() {
  const check::UnseenPods& unseen = checks_.checker().facts().unseen_pods();
  for (const api::Object& rs : world_.Objects(*world_.kinds().ByName("replicasets")))
    if (unseen.AwaitedBy(rs.uid())) return true;
  return false;
}

void Runner::Finish(sim::Simulation::Stop stop) {
  using Stop = sim::Simulation::Stop;
  sim::Simulation& sim = world_.sim();
  trace::End& end = report_.end;
  check::RunEnd over;
  over.t = sim.now().ns();
  over.quiet = stop == Stop::kQuiescent;
  over.limit = stop == Stop::kTimeLimit || stop == Stop::kEventLimit || stop == Stop::kInstantLimit;
  if (!report_.stopped) {
    Judge(stop);
    CloseExpectations();
    report_.passed_through = expectations_.PassedThrough();
    world_.EmitCaches(0);
    checks_.Finish(over);
    EmitPhase("end");
  }
  SetResult();
  end.events = sim.bus().last_seq();
  end.time = sim.now().ns();
  if (options_.world.digest) end.digest = world_.digest();
  if (recorder_) end.state = trace::OutcomeDigest(world_.Objects());
  end.decisions = sim.decisions().decisions();
  end.unapplied = sim.decisions().unapplied();
  NameOracles(&end);
  report_.kernel_steps = sim.steps();
}

RunReport Runner::Run() {
  using Stop = sim::Simulation::Stop;
  Boot();
  Stop stop = Stop::kStopped;
  if (!report_.stopped) {
    // The phase is an event that they may wait for.
    ScheduleSteps();
    injector_.Arm(scenario_.faults);
    EmitPhase("workload");
    if (drawn_) drawn_->Open();
    stop = options_.fuzz ? RunFaultsAndHeal() : RunWorkload();
  }
  Finish(stop);
  return report_;
}

trace::Header Runner::MakeHeader() const {
  trace::Header header;
  header.ksim_version = std::string(Version());
  header.compat = std::string(api::ToString(scenario_.compat));
  header.seed = scenario_.seed;
  header.strategy_seed = scenario_.seed;
  if (const sim::Strategy* strategy = options_.world.strategy.get()) {
    header.strategy = std::string(strategy->name());
    header.strategy_seed = options_.strategy_seed;
    header.strategy_params = options_.strategy_params;
  }
  header.mode = options_.fuzz ? "fuzz" : "run";
  header.scenario = ToTree(scenario_);
  header.overrides = options_.world.overrides;
  return header;
}

trace::Trace Runner::MakeTrace(const trace::RenderOptions& options) const {
  trace::Trace trace;
  trace.header = MakeHeader();
  trace.events = recorder_->Records(options);
  trace.end = report_.end;
  return trace;
}

}  // namespace ksim::scenario
