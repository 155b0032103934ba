#include "ksim/scenario/step_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/base/time.h"
#include "ksim/scenario/kubectl_options.h"
#include "ksim/scenario/step_arguments.h"
#include "ksim/scenario/stuck_step.h"
#include "ksim/scenario/work_hold.h"
#include "ksim/trace/events.h"

namespace ksim::scenario {

using kubectl::CommandOutput;
using kubectl::EarlierTries;

namespace {

// How long the user waits before trying a failed step again.
constexpr Duration kTryAgain = Seconds(10);

// Notes that a task was destroyed before it ended.
class BreakOffNote {
 public:
  BreakOffNote(const bool& ended, bool& broken_off) : ended_(ended), broken_off_(broken_off) {}
  ~BreakOffNote() { broken_off_ = !ended_; }
  BreakOffNote(const BreakOffNote&) = delete;

 private:
  const bool& ended_;
  bool& broken_off_;
};

value::Value ArgsOf(const Step& step) {
  Step without_objects = step;
  without_objects.objects.clear();
  return StepArguments(without_objects).Erase("objects");
}

// The deletion that is part of a removeNode.
kubectl::VerbOptions DeletionOfNode(const std::string& name) {
  kubectl::DeleteOptions options;
  options.target.resource = "nodes";
  options.target.name = name;
  options.wait = false;
  return options;
}

}  // namespace

std::string TargetOf(const Step& step) {
  if (!step.objects.empty()) {
    std::string out;
    for (const Manifest& m : step.objects)
      out += fmt::format("{}{}/{}", out.empty() ? "" : " ", m.Kind(), m.Name());
    return out;
  }
  if (step.kind == StepKind::kAddNode) return fmt::format("nodes/{}", step.node.Names().front());
  std::string out = step.resource;
  if (!step.name.empty()) out += "/" + step.name;
  if (!step.selector.empty()) out += " -l " + step.selector;
  return out;
}

StepScheduler::StepScheduler(const Scenario& scenario, World& world, std::optional<Duration> settle)
    : scenario_(scenario), world_(world), triggers_(world.sim()), settle_(settle) {
  for (std::size_t i = 0; i < scenario_.steps.size(); ++i) {
    const Step& step = scenario_.steps[i];
    if (groups_.empty() || step.at || step.when) groups_.emplace_back();
    groups_.back().steps.push_back(i);
  }
  world_.OnUserStart([this] { BeginAgain(); });
}

std::uint64_t StepScheduler::EmitStep(std::size_t index, bool begin, std::string result) {
  const Step& step = scenario_.steps[index];
  auto* payload = new trace::StepPayload;
  payload->number = static_cast<std::int64_t>(index) + 1;
  payload->verb = std::string(ToString(step.kind));
  payload->target = TargetOf(step);
  payload->args = ArgsOf(step);
  payload->begin = begin;
  payload->result = std::move(result);
  return world_.sim().Emit(sim::EventInfo{sim::EventKind::kStep}, sim::PayloadRef(payload));
}

void StepScheduler::Schedule() {
  sim::Simulation& sim = world_.sim();
  begins_ = sim.now();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Step& first = scenario_.steps[groups_[g].steps.front()];
    if (first.when) {
      triggers_.Add(fault::WithKnownResource(*first.when, world_.kinds()),
                    [this, g](std::uint64_t cause) { Begin(g, cause); });
      continue;
    }
    const VirtualTime due = VirtualTime() + first.at.value_or(Duration());
    const Duration delay = std::max(Duration(), due - sim.now());
    sim.After(delay, sim::TimerKind::kWork, "step", [this, g] { Begin(g, 0); });
  }
}

void StepScheduler::Begin(std::size_t group, std::uint64_t cause) {
  if (groups_[group].begun) return;
  if (!world_.user().alive()) groups_[group].missed = true;
  groups_[group].due = !world_.user().alive() || MustWait(group);
  if (groups_[group].due) return;
  groups_[group].begun = true;
  world_.sim().context().cause = cause;
  world_.sim().context().background = false;
  world_.user().Spawn(RunGroup(group));
}

// While faults hold a command up the user does not type the next one, nor all missed commands at
// once.
bool StepScheduler::MustWait(std::size_t group) const {
  const auto triggered = [this](const Group& g) {
    return scenario_.steps[g.steps.front()].when.has_value();
  };
  const auto before = groups_.begin() + static_cast<std::ptrdiff_t>(group);
  const auto under_way = [](const Group& g) { return g.begun && !g.ended && !g.broken_off; };
  if (groups_[group].missed && std::any_of(groups_.begin(), before, under_way)) return true;
  if (!settle_ || triggered(groups_[group])) return false;
  return std::any_of(groups_.begin(), before,
                     [&](const Group& g) { return !g.ended && !g.broken_off && !triggered(g); });
}

std::string StepScheduler::HintOf(std::size_t group) const {
  const auto first = [this](const Group& g) -> const Step& {
    return scenario_.steps[g.steps.front()];
  };
  const Step& step = first(groups_[group]);
  if (settle_ || !step.at || VirtualTime() + *step.at >= begins_) return "";
  for (std::size_t g = 0; g < group; ++g) {
    const std::optional<Duration>& at = first(groups_[g]).at;
    if (first(groups_[g]).when || at.value_or(Duration()) >= *step.at) continue;
    return fmt::format(
        "the cluster had started at {}, so it began together with step {}; without `at` it begins "
        "when the step before it has ended",
        FormatDuration(begins_ - VirtualTime()), groups_[g].steps.front() + 1);
  }
  return "";
}

void StepScheduler::End(std::size_t group) {
  groups_[group].ended = true;
  BeginDue();
}

// kubectl is back: begins the groups that came due without it, those that waited for a step that
// died with it, and those whose task died at the very instant at which it was to begin.
void StepScheduler::BeginAgain() {
  for (Group& g : groups_) {
    if (!g.killed_at_once()) continue;
    g.begun = false;
    g.due = g.missed = true;
  }
  BeginDue();
}

void StepScheduler::BeginDue() {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (groups_[g].due) Begin(g, world_.sim().context().cause);
}

sim::Task<void> StepScheduler::RunGroup(std::size_t group) {
  const WorkHold hold(world_.sim());
  const BreakOffNote broken_off(groups_[group].ended, groups_[group].broken_off);
  for (std::size_t index : groups_[group].steps) {
    groups_[group].running = index;
    const std::uint64_t begun = EmitStep(index, true, "");
    groups_[group].running_since = begun;
    world_.sim().context().cause = begun;
    const CommandOutput outcome = co_await RunStepUntilItSucceeds(scenario_.steps[index]);
    std::string result;
    for (const std::string& line : outcome.lines) result += (result.empty() ? "" : "\n") + line;
    if (!outcome.ok()) {
      StepFailure failure;
      failure.number = static_cast<std::int64_t>(index) + 1;
      failure.error = outcome.error;
      if (index == groups_[group].steps.front()) failure.hint = HintOf(group);
      failures_.push_back(std::move(failure));
      result += (result.empty() ? "" : "\n") + outcome.error;
    }
    EmitStep(index, false, std::move(result));
    groups_[group].running.reset();
  }
  End(group);
}

sim::Task<CommandOutput> StepScheduler::RunStepUntilItSucceeds(const Step& step) {
  EarlierTries tries;
  for (;; tries.BeginNextTry()) {
    const bool last = !settle_ || (healed_ && world_.sim().now() >= *healed_ + *settle_);
    CommandOutput outcome = co_await RunStep(step, tries);
    if (outcome.ok() || last) co_return outcome;
    co_await world_.sim().Sleep(kTryAgain);
  }
}

sim::Task<CommandOutput> StepScheduler::RunStep(const Step& step, EarlierTries& tries) {
  CommandOutput outcome;
  if (step.kind == StepKind::kAddNode) {
    for (const std::string& name : step.node.Names()) {
      if (world_.sim().FindProcess("kubelet/" + name) != nullptr) {
        outcome.error = fmt::format("error: there is a machine {} already", name);
        co_return outcome;
      }
      world_.AddNode(name, step.node);
      outcome.lines.push_back(fmt::format("machine {} started", name));
    }
    co_return outcome;
  }
  if (step.kind == StepKind::kRemoveNode) {
    const std::string removal = "removal of machine " + step.name;
    if (!world_.RemoveNode(step.name) && !tries.Had(removal)) {
      outcome.error = fmt::format("error: there is no machine {}", step.name);
      co_return outcome;
    }
    tries.Note(removal);
    const kubectl::VerbOptions deletion = DeletionOfNode(step.name);
    co_return co_await world_.KubectlAs(step.as).Run(deletion, tries);
  }
  const kubectl::VerbOptions options = KubectlOptionsOf(step);
  co_return co_await world_.KubectlAs(step.as).Run(options, tries);
}

std::vector<std::string> StepScheduler::DescribeRunning() const {
  std::vector<std::string> out;
  for (const Group& group : groups_) {
    if (!group.running || group.broken_off) continue;
    const Step& step = scenario_.steps[*group.running];
    const std::string why = WhyStuck(step, scenario_, world_);
    out.push_back(fmt::format("step {} ({} {}) has not ended{}{}", *group.running + 1,
                              ToString(step.kind), TargetOf(step), why.empty() ? "" : ": ", why));
  }
  return out;
}

bool StepScheduler::HasStepThatWillEnd() const {
  return std::any_of(groups_.begin(), groups_.end(), [this](const Group& g) {
    if (!g.begun) return !g.due && !scenario_.steps[g.steps.front()].when;
    return Waits(g) && scenario_.steps[*g.running].timeout > Duration();
  });
}

std::uint64_t StepScheduler::WaitingSince() const {
  const auto waits = std::find_if(groups_.begin(), groups_.end(),
                                  [this](const Group& group) { return Waits(group); });
  return waits != groups_.end() ? waits->running_since : 0;
}

bool StepScheduler::Waits(const Group& group) const {
  if (!group.running || group.broken_off) return false;
  const StepKind kind = scenario_.steps[*group.running].kind;
  return kind == StepKind::kWait || kind == StepKind::kDrain || kind == StepKind::kRollout;
}

void StepScheduler::NoteUnfinished() {
  const auto number = [](std::size_t step) { return static_cast<std::int64_t>(step) + 1; };
  for (const Group& group : groups_) {
    if (!group.begun || group.killed_at_once()) {
      const bool triggered = scenario_.steps[group.steps.front()].when.has_value();
      const char* why = group.due || group.killed_at_once() ? "kubectl was dead"
                        : triggered                         ? "its trigger did not come"
                                                            : "the run was over before its time";
      never_begun_.emplace_back(number(group.steps.front()), why);
    }
    if (!group.broken_off || !group.running) continue;
    StepFailure failure;
    failure.number = number(*group.running);
    failure.error = "error: kubectl died in the midst of it";
    failures_.push_back(std::move(failure));
    for (std::size_t step : group.steps)
      if (step > *group.running)
        never_begun_.emplace_back(number(step), "kubectl died in the step before");
  }
}

}  // namespace ksim::scenario
