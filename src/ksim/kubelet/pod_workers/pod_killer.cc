#include "ksim/kubelet/pod_workers/pod_killer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "ksim/api/pod.h"

namespace ksim::kubelet {

using value::Value;

namespace {

constexpr Duration kMinimumGrace = Seconds(2);  // kuberuntime minimumGracePeriodInSeconds

// Null: the pod has no such container.
const Value* FindContainerSpec(const api::Object& pod, std::string_view name) {
  for (const char* field : {"containers", "initContainers"})
    for (const Value& spec : pod.spec().Get(field).items())
      if (spec.Get("name").AsString() == name) return &spec;
  return nullptr;
}

}  // namespace

std::int64_t EffectiveGrace(std::int64_t current, const api::Object& pod,
                            std::optional<std::int64_t> grace_override, bool zero_counts) {
  const api::PodView view(pod);
  std::int64_t grace = current;
  bool given = false;
  for (const std::optional<std::int64_t> asked :
       {view.deletion_grace_period_seconds(), grace_override}) {
    if (!asked || (grace != 0 && *asked >= grace)) continue;
    grace = *asked;
    given = zero_counts;
  }
  if (!given && grace == 0) grace = view.termination_grace_period_seconds().value_or(0);
  return std::max<std::int64_t>(grace, 1);
}

std::vector<std::string> StopsAfter(const api::Object& pod, std::string_view container) {
  std::vector<std::string> before;
  std::string_view later;  // the sidecar that comes next in the spec
  const Value& init = pod.spec().Get("initContainers");
  for (std::size_t i = init.size(); i-- > 0;) {
    if (!api::PodView::IsSidecar(init.at(i))) continue;
    const std::string_view name = init.at(i).Get("name").AsString();
    if (name != container) {
      later = name;
      continue;
    }
    for (const Value& spec : pod.spec().Get("containers").items())
      before.emplace_back(spec.Get("name").AsString());
    if (!later.empty()) before.emplace_back(later);
    break;
  }
  return before;
}

// The containers that one KillPod has still to stop.
struct PodKiller::Batch {
  Batch(sim::Process& p, Duration g) : process(p), grace(g), changed(p.simulation()) {}
  // The tasks are cancelled with the frame that waits for them: a shorter grace starts them anew.
  ~Batch() {
    for (const sim::Process::TaskId id : tasks) process.Cancel(id);
  }
  sim::Process& process;
  Duration grace;
  std::vector<sim::Process::TaskId> tasks;
  std::set<std::string, std::less<>> running;
  sim::Signal changed;
};

sim::Task<void> PodKiller::KillPod(PodWorker* worker, std::int64_t grace) {
  const std::string uid = worker->uid();
  const PodSandbox* sandbox = runtime_.Find(uid);
  if (sandbox == nullptr) co_return;

  // 1. One task for each container that runs.
  Batch batch(process_, Seconds(grace));
  for (const auto& [name, c] : sandbox->containers) {
    if (c.state == Container::State::kRunning) batch.running.insert(name);
  }
  const std::vector<std::string> names(batch.running.begin(), batch.running.end());
  for (const std::string& name : names) {
    batch.tasks.push_back(process_.Spawn(KillInTurn(worker, name, &batch)));
  }

  // 2. All have stopped: the sandbox is stopped too.
  while (!batch.running.empty()) co_await batch.changed.Wait();
  batch.tasks.clear();
  co_await runtime_.StopSandbox(uid);
}

// killContainer. The whole seconds that a sidecar waits for its turn are taken from its grace.
sim::Task<void> PodKiller::KillInTurn(PodWorker* worker, std::string container, Batch* batch) {
  if (const Value* spec = FindContainerSpec(worker->pod, container))
    RecordContainerEvent(recorder_, *worker, *spec, "Normal", "Killing",
                         fmt::format("Stopping container {}", container));

  // 1. Run its hook, at most for the grace period.
  const Duration hooked = co_await RunPreStop(worker, container, batch->grace);

  // 2. Wait for the containers that stop before this one, at most for the rest.
  const std::vector<std::string> before = StopsAfter(worker->pod, container);
  const VirtualTime since = env_.sim.SteadyNow();
  const Duration grace = batch->grace - hooked;
  while (std::any_of(before.begin(), before.end(),
                     [batch](const std::string& name) { return batch->running.contains(name); })) {
    const Duration left = since + grace - env_.sim.SteadyNow();
    if (left <= Duration()) break;
    co_await batch->changed.WaitFor(left, sim::TimerKind::kWork);
  }

  // 3. Stop it.
  const std::int64_t waited = (env_.sim.SteadyNow() - since).ns() / Seconds(1).ns();
  const Duration kill_in = std::max(grace - Seconds(waited), kMinimumGrace);
  co_await runtime_.KillContainer(worker->uid(), container, kill_in);
  batch->running.erase(container);
  batch->changed.Notify();
}

// executePreStopHook: the whole seconds that it took.
sim::Task<Duration> PodKiller::RunPreStop(PodWorker* worker, std::string container,
                                          Duration grace) {
  const std::optional<HookPlan> plan = PreStopPlanOf(worker->pod, container);
  if (!plan || grace <= Duration()) co_return Duration();
  const Duration takes = std::min(plan->takes, grace);
  if (takes > Duration()) co_await env_.sim.Sleep(takes, sim::TimerKind::kWork, "preStop hook");
  const Value* spec = FindContainerSpec(worker->pod, container);
  if (plan->fails && plan->takes <= grace && spec != nullptr)
    RecordContainerEvent(recorder_, *worker, *spec, "Warning", "FailedPreStopHook",
                         "PreStopHook failed");
  co_return Seconds(takes.ns() / Seconds(1).ns());
}

sim::Task<void> PodKiller::KillContainers(PodWorker* worker, std::vector<PodActions::Kill> kills) {
  for (const PodActions::Kill& kill : kills) {
    RecordContainerEvent(recorder_, *worker, kill.spec, "Normal", "Killing", kill.message);
    std::int64_t grace = EffectiveGrace(0, worker->pod, {}, true);
    const Value& own = kill.spec.Get(FieldOf(kill.by)).Get("terminationGracePeriodSeconds");
    if (own.is_int()) grace = own.AsInt();
    const std::string name(kill.spec.Get("name").AsString());
    const Duration hooked = co_await RunPreStop(worker, name, Seconds(grace));
    const Duration kill_in = std::max(Seconds(grace) - hooked, kMinimumGrace);
    co_await runtime_.KillContainer(worker->uid(), name, kill_in);
  }
}

}  // namespace ksim::kubelet
