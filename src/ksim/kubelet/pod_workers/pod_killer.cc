// PodWorkers: how a pod ends: its containers are stopped, its status says so, its object may go.
//
// Source: pkg/kubelet/kubelet.go SyncTerminatingPod, SyncTerminatedPod; kuberuntime killContainer.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/api/pod.h"
#include "ksim/kubelet/pod_workers/pod_worker.h"

namespace ksim::kubelet {

using value::Value;

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

sim::Task<void> PodWorkers::SyncTerminating(Worker* worker) {
  const Value status = EvictedStatus(*worker, Status(*worker, /*terminal=*/false));
  if (!worker->removed) statuses_.Set(worker->pod, status);
  const std::string uid = worker->uid();
  prober_.StopLivenessAndStartup(uid);
  co_await KillPod(worker, worker->grace);
  prober_.RemovePod(uid);
  if (!worker->removed) statuses_.Set(worker->pod, Status(*worker, /*terminal=*/true));
}

// Those that a KillPod has still to stop.
struct PodWorkers::Kills {
  Kills(sim::Process& p, Duration g) : process(p), grace(g), changed(p.simulation()) {}
  // Cancelled with the frame: a shorter grace starts them anew.
  ~Kills() {
    for (const sim::Process::TaskId id : tasks) process.Cancel(id);
  }
  sim::Process& process;
  Duration grace;
  std::vector<sim::Process::TaskId> tasks;
  std::set<std::string, std::less<>> running;
  sim::Signal changed;
};

// killContainersWithSyncResult: all at once, but sidecars when it is their turn; then the sandbox.
sim::Task<void> PodWorkers::KillPod(Worker* worker, std::int64_t grace) {
  const std::string uid = worker->uid();
  const PodSandbox* sandbox = runtime_.Find(uid);
  if (sandbox == nullptr) co_return;
  Kills kills(process_, Seconds(grace));
  for (const auto& [name, c] : sandbox->containers) {
    if (c.state == Container::State::kRunning) kills.running.insert(name);
  }
  const std::vector<std::string> names(kills.running.begin(), kills.running.end());
  for (const std::string& name : names) {
    kills.tasks.push_back(process_.Spawn(KillOne(worker, name, &kills)));
  }
  while (!kills.running.empty()) co_await kills.changed.Wait();
  kills.tasks.clear();
  co_await runtime_.StopSandbox(uid);
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

// The podStatusFn of eviction_manager.go and TerminatePodAbnormallyAndWait; the condition is
// behind a feature gate that is off in 1.25.
Value PodWorkers::EvictedStatus(const Worker& worker, const Value& status) const {
  if (worker.evicted.empty()) return status;
  const Value message = Value::String(worker.evicted);
  const Value failed = status.Set("phase", Value::Of("Failed"))
                           .Set("reason", Value::Of("Evicted"))
                           .Set("message", message);
  if (!profile_.disruption_conditions) return failed;
  Value condition =
      api::MakeCondition("DisruptionTarget", "True", "TerminationByKubelet", worker.evicted);
  if (profile_.observed_generation && worker.pod.generation() != 0)
    condition = condition.Set("observedGeneration", Value::Int(worker.pod.generation()));
  return failed.Set("conditions",
                    api::UpdateCondition(failed.Get("conditions"), condition, process_.Now()));
}

// killContainer. The whole seconds that a sidecar waits for its turn are taken from its grace.
sim::Task<void> PodWorkers::KillOne(Worker* worker, std::string container, Kills* kills) {
  for (const char* field : {"containers", "initContainers"}) {
    for (const Value& spec : worker->pod.spec().Get(field).items()) {
      if (spec.Get("name").AsString() != container) continue;
      Event(*worker, spec, "Normal", "Killing", fmt::format("Stopping container {}", container));
    }
  }
  const std::vector<std::string> before = StopsAfter(worker->pod, container);
  const VirtualTime since = env_.sim.now();
  const Duration grace = kills->grace;
  while (std::any_of(before.begin(), before.end(),
                     [kills](const std::string& name) { return kills->running.contains(name); })) {
    const Duration left = since + grace - env_.sim.now();
    if (left <= Duration()) break;
    co_await kills->changed.WaitFor(left, sim::TimerKind::kWork);
  }
  const std::int64_t waited = (env_.sim.now() - since).ns() / Seconds(1).ns();
  const Duration kill_in = std::max(grace - Seconds(waited), kMinimumGrace);
  co_await runtime_.KillContainer(worker->uid(), container, kill_in);
  kills->running.erase(container);
  kills->changed.Notify();
}

sim::Task<void> PodWorkers::SyncTerminated(Worker* worker) {
  const std::string uid = worker->uid();
  if (worker->removed) {
    worker->state = State::kFinished;
    runtime_.RemovePod(uid);
    // A pod that was refused while it ran may say so now.
    if (worker->orphan) {
      statuses_.Trigger(uid);
    } else {
      statuses_.Forget(uid);
    }
    restarts_.Forget(uid);
    pulls_.Forget(uid);
    workers_.erase(uid);
    co_return;
  }
  statuses_.Set(worker->pod, Status(*worker, /*terminal=*/true));
  worker->state = State::kFinished;
  statuses_.Terminate(worker->pod);
}

}  // namespace ksim::kubelet
