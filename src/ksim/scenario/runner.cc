#include "ksim/scenario/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/base/check.h"
#include "ksim/base/version.h"
#include "ksim/check/own_oracles.h"
#include "ksim/registry.h"
#include "ksim/scenario/observers/waiting_pods.h"
#include "ksim/scenario/run_verdict.h"
#include "ksim/scenario/work_hold.h"
#include "ksim/sim/network.h"
#include "ksim/trace/events.h"
#include "ksim/trace/state.h"
#include "ksim/value/json.h"

namespace ksim::scenario {

namespace {

// The cluster counts as up when nothing was left to do for this long; it gets so much time.
constexpr Duration kBootQuiet = Milliseconds(100);
constexpr Duration kBootLimit = Seconds(60);
// A node is two requests of the node lifecycle controller, which takes its taint away, at 20 a
// second (controller-manager pkg/clientbuilder, --kube-api-qps): more nodes need more time.
constexpr std::int64_t kNodesOfBootLimit = 500;
constexpr Duration kBootLimitPerNode = Milliseconds(200);
constexpr std::size_t kMostBusyLines = 10;
// The longest that a work queue lets a key wait (client-go workqueue/default_rate_limiters.go):
// what failed while there were faults may be tried only then.
constexpr Duration kLongestBackOff = Seconds(1000);
// The time that a retry has before a run's limit, for all that it leads to.
constexpr Duration kAfterRetry = Minutes(2);

sim::ActorId Narrator() { return sim::ActorId::Of("ksim"); }

// While faults come nothing happens in a promised time: a campaign expects only that it happens.
std::vector<Expectation> ExpectedOf(const Scenario& scenario, bool fuzz) {
  std::vector<Expectation> list = scenario.expect;
  for (Expectation& e : list)
    if (fuzz) e.within.reset();
  return list;
}

Duration BootLimit(const ClusterSpec& cluster) {
  std::int64_t nodes = 0;
  for (const NodeSpec& spec : cluster.nodes) nodes += spec.count;
  return kBootLimit + kBootLimitPerNode * std::max<std::int64_t>(0, nodes - kNodesOfBootLimit);
}

check::InvariantSet InvariantsOf(const Scenario& scenario, bool fuzz) {
  check::InvariantSet out;
  out.list = scenario.invariants;
  out.campaign = fuzz;
  return out;
}

}  // namespace

Runner::Runner(const Scenario& scenario, RunnerOptions options)
    : scenario_(scenario),
      options_(std::move(options)),
      world_(scenario_, options_.world),
      steps_(scenario_, world_,
             options_.fuzz ? std::optional<Duration>(options_.fuzz->settle) : std::nullopt),
      injector_(world_),
      standstill_(world_.sim(), steps_, injector_),
      expectations_(world_.sim(), world_.kinds(), ExpectedOf(scenario_, options_.fuzz.has_value())),
      checks_(world_.sim(), scenario_.checks, scenario_.compat,
              InvariantsOf(scenario_, options_.fuzz.has_value())) {
  if (options_.fuzz || AnswersDrawnFaults())
    drawn_ = std::make_unique<fault::DrawnFaults>(injector_, world_,
                                                  fault::AllowedKinds(scenario_.fuzz.faults));
  if (options_.fuzz) {
    late_writes_ = std::make_unique<LateWrites>(world_.sim().bus(), world_.user().actor());
    activity_ = std::make_unique<WorkloadActivity>(world_.sim().bus(), world_.user().actor());
    for (const auto& guest : world_.guests()) guest->AwaitLongestBackOff();
  }
  if (options_.record) recorder_ = std::make_unique<trace::Recorder>(world_.sim().bus());
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

// A request to stop counts for the run that is under way: before that, the next event asks again.
void Runner::StopIfAsked(const sim::Event& e) {
  if (!report_.stopped && !options_.stop(e)) return;
  report_.stopped = true;
  world_.sim().RequestStop();
}

std::uint64_t Runner::EmitPhase(const char* name) {
  return world_.sim().EmitAs(Narrator(), 0, sim::EventInfo{sim::EventKind::kPhase},
                             sim::MakePayload<trace::PhasePayload>(name));
}

void Runner::Boot() {
  booted_ = true;
  report_.stopped = !world_.Start() || report_.stopped;
  if (report_.stopped) return;
  sim::Simulation::Limits limits;
  limits.time = VirtualTime() + std::min(BootLimit(scenario_.cluster), scenario_.limit.time);
  if (scenario_.until && !options_.fuzz)
    limits.time = std::min(limits.time, VirtualTime() + *scenario_.until);
  limits.events = static_cast<std::uint64_t>(scenario_.limit.events);
  limits.instant = static_cast<std::uint64_t>(scenario_.limit.instant);
  world_.sim().RunUntilQuiet(kBootQuiet, limits);
  report_.boot_events = world_.sim().bus().last_seq();
}

sim::Simulation::Stop Runner::RunWorkload() {
  sim::Simulation& sim = world_.sim();
  sim::Simulation::Limits limits;
  limits.time = VirtualTime() + scenario_.limit.time;
  limits.events = static_cast<std::uint64_t>(scenario_.limit.events);
  limits.instant = static_cast<std::uint64_t>(scenario_.limit.instant);
  if (!scenario_.until) {
    const bool has_faults = !scenario_.faults.empty() || !scenario_.overrides.empty() ||
                            !options_.world.overrides.empty();
    if (!scenario_.faults.empty()) standstill_.Watch(scenario_.limit.time);
    for (;;) {
      const sim::Simulation::Stop stop = world_.RunUntilQuiet(scenario_.quiet_for, limits);
      const bool still = standstill_.Take();
      const bool over = stop == sim::Simulation::Stop::kQuiescent || still;
      if (report_.stopped || !over) return stop;
      if (injector_.in_force() > 0)
        Heal();
      else if (!still && (!has_faults || !AwaitRetries(limits.time)))
        return stop;
    }
  }
  const bool within = *scenario_.until <= scenario_.limit.time;
  if (within) limits.time = VirtualTime() + *scenario_.until;
  const WorkHold hold(sim);
  const sim::Simulation::Stop stop = world_.RunUntilQuiet(scenario_.quiet_for, limits);
  return within && stop == sim::Simulation::Stop::kTimeLimit ? sim::Simulation::Stop::kTimeReached
                                                             : stop;
}

void Runner::Heal() {
  steps_.set_healed(world_.sim().now());
  standstill_.set_healed(world_.sim().now());
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
  Stop stop = world_.RunUntilQuiet(scenario_.quiet_for, limits);
  tell(false);
  if (stop != Stop::kQuiescent && stop != Stop::kTimeLimit) return stop;
  Heal();
  EmitPhase("settle");
  limits.time = sim.now() + fuzz.settle + sim::kExtraDelays.back() + kLongestBackOff;
  stop = world_.RunUntilQuiet(scenario_.quiet_for, limits);
  if (stop == Stop::kTimeLimit && StopsWaiting()) {
    limits.time = sim.now() + fuzz.settle;
    return world_.RunUntilQuiet(scenario_.quiet_for, limits);
  }
  if (stop != Stop::kQuiescent || !AwaitRetries(limits.time)) return stop;
  return world_.RunUntilQuiet(scenario_.quiet_for, limits);
}

// The user interrupts a step that waits for a key which its controller has given up: it would wait
// until somebody touches the object. Whether there is such a step.
bool Runner::StopsWaiting() {
  const std::uint64_t step = steps_.WaitingSince();
  if (step == 0 || !checks_.checker().facts().given_up().any()) return false;
  sim::Process& user = world_.user();
  world_.sim().EmitAs(user.actor(), step, sim::EventInfo{sim::EventKind::kActor},
                      sim::MakePayload<trace::ActorPayload>(user.name(), "kill"));
  user.Kill();
  return true;
}

// Keys that failed while there were faults are tried once more, however long that takes. Once: what
// fails then, too, may do so for ever. Whether something waits for that.
bool Runner::AwaitRetries(VirtualTime limit) {
  if (std::exchange(awaited_retries_, true)) return false;
  return world_.sim().long_waits().BecomeWork(limit - kAfterRetry);
}

// Describes the steps and faults that have not ended, then the pending work of the kernel.
std::vector<std::string> Runner::WhatKeptItBusy() {
  std::vector<std::string> out = steps_.DescribeRunning();
  for (const std::string& fault : injector_.DescribeInForce())
    out.push_back(fmt::format("the fault {} is in force", fault));
  for (std::string& line : world_.sim().DescribePendingWork(kMostBusyLines))
    out.push_back(std::move(line));
  return out;
}

void Runner::ReportUnfinished(sim::Simulation::Stop stop) {
  if (PassedALimit(stop)) {
    report_.busy = WhatKeptItBusy();
    const trace::Violation v = LimitViolation(stop, report_.busy);
    report_.end.violations.push_back(v);
    world_.sim().EmitAs(Narrator(), 0, sim::EventInfo{sim::EventKind::kViolation},
                        sim::MakePayload<trace::ViolationPayload>(v));
  }
  for (const guest::GuestFailure& failure : world_.guest_failures()) {
    trace::Violation v;
    v.oracle = "guest.runs";
    v.message = fmt::format("{}: {}", failure.guest, failure.text);
    report_.end.violations.push_back(v);
    world_.sim().EmitAs(Narrator(), 0, sim::EventInfo{sim::EventKind::kViolation},
                        sim::MakePayload<trace::ViolationPayload>(v));
  }
  steps_.NoteUnfinished();
  injector_.GiveUp();
  report_.faults_missing = FaultsMissing(scenario_.faults, injector_.outcomes());
}

// A campaign ends in the state that the scenario expects only if its steps came true, each once and
// in their order. It may also have led a controller to wait for a pod that nobody will ever see, as
// upstream's does (docs/fidelity.md): then the scenario's expectations of pods do not hold.
void Runner::CloseExpectations() {
  if (!options_.fuzz) return expectations_.Close();
  if (late_writes_->any() || !steps_.failures().empty()) return;
  // It gave up while everything failed, as upstream's does, and nothing has woken it since.
  if (checks_.checker().facts().given_up().any()) return;
  if (!checks_.checker().facts().AControllerWaits()) return expectations_.Close();
  expectations_.Close(check::kHeldUpByAWait);
}

void Runner::Finish(sim::Simulation::Stop stop) {
  using Stop = sim::Simulation::Stop;
  sim::Simulation& sim = world_.sim();
  trace::End& end = report_.end;
  check::RunEnd over;
  over.t = sim.now().ns();
  over.quiet = stop == Stop::kQuiescent;
  over.limit = PassedALimit(stop);
  if (!report_.stopped) {
    ReportUnfinished(stop);
    CloseExpectations();
    report_.passed_through = expectations_.PassedThrough();
    report_.applied = expectations_.Applied();
    report_.vacuous = expectations_.Vacuous();
    report_.not_lasting = expectations_.NotLasting();
    world_.EmitCaches(0);
    checks_.Finish(over);
    NoteInvariants(checks_.checker(), &report_);
    EmitPhase("end");
  }
  report_.remarks = checks_.checker().remarks();
  if (!options_.fuzz) report_.waiting = WaitingPods(world_.Objects());
  report_.workload_served = activity_ && activity_->any();
  report_.failures = steps_.failures();
  report_.never_begun = steps_.never_begun();
  SetResult(expectations_.violations(), checks_.findings(), &report_);
  end.events = sim.bus().last_seq();
  end.time = sim.now().ns();
  if (options_.world.digest) end.digest = world_.digest();
  if (recorder_ || options_.outcome) end.state = trace::OutcomeDigest(world_.Objects());
  end.decisions = sim.decisions().decisions();
  end.unapplied = sim.decisions().unapplied();
  NameOracles(scenario_.checks, checks_.checker(), &end);
  report_.kernel_steps = sim.steps();
}

void Runner::Become(std::uint64_t seed, const RunnerOptions& options) {
  KSIM_CHECK(booted_ && scenario_.boot_seed) << "no boot of its own";
  scenario_.seed = seed;
  options_.world.strategy = options.world.strategy;
  options_.strategy_seed = options.strategy_seed;
  options_.strategy_params = options.strategy_params;
  options_.fuzz = options.fuzz;
}

void Runner::Begin() {
  if (!booted_) Boot();
  if (report_.stopped) return;
  if (scenario_.boot_seed) world_.BeginOwnPart(scenario_, options_.world);
  // Steps and faults may wait for the event of the phase.
  steps_.Schedule();
  injector_.Arm(scenario_.faults);
  EmitPhase("workload");
  if (drawn_) drawn_->Open();
}

RunReport Runner::End(sim::Simulation::Stop stop) {
  Finish(stop);
  return report_;
}

RunReport Runner::Run() {
  using Stop = sim::Simulation::Stop;
  Begin();
  Stop stop = Stop::kStopped;
  if (!report_.stopped) stop = options_.fuzz ? RunFaultsAndHeal() : RunWorkload();
  return End(stop);
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
  header.mode = options_.serve ? "serve" : options_.fuzz ? "fuzz" : "run";
  header.scenario = ToTree(scenario_);
  header.overrides = options_.world.overrides;
  for (const PluggedController& own : options_.world.controllers)
    header.own_controllers.push_back(own.name);
  header.own_oracles = check::OwnOracleNames();
  const Registry* const program = scenario_.cluster.program.get();
  if (program != nullptr && program->ChangesRuns()) {
    header.program.name = program->program();
    header.program.version = program->version();
    header.program.registry = program->hash();
  }
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
