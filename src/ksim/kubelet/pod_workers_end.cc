// PodWorkers: how a pod ends: its containers are stopped, its status says so, its object may go.
//
// Source: pkg/kubelet/kubelet.go SyncTerminatingPod, SyncTerminatedPod; kuberuntime killContainer.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/api/pod.h"
#include "ksim/kubelet/pod_worker.h"

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

// Containers are stopped all at once; sidecars and the sandbox after them.
sim::Task<void> PodWorkers::SyncTerminating(Worker* worker) {
  const Value status = EvictedStatus(*worker, Status(*worker, /*terminal=*/false));
  if (!worker->removed) statuses_.Set(worker->pod, status);
  const std::string uid = worker->uid();
  prober_.StopLivenessAndStartup(uid);
  const PodSandbox* sandbox = runtime_.Find(uid);
  if (sandbox != nullptr) {
    std::vector<std::string> running;
    for (const auto& [name, c] : sandbox->containers) {
      if (c.state == Container::State::kRunning) running.push_back(name);
    }
    int left = static_cast<int>(running.size());
    sim::Signal done(process_.simulation());
    std::vector<sim::Process::TaskId> kills;
    // Cancelled with this frame: a shorter grace starts them anew.
    struct CancelKills {
      CancelKills(sim::Process& p, std::vector<sim::Process::TaskId>& k) : process(p), ids(k) {}
      ~CancelKills() {
        for (const sim::Process::TaskId id : ids) process.Cancel(id);
      }
      sim::Process& process;
      std::vector<sim::Process::TaskId>& ids;
    };
    const CancelKills cancel(process_, kills);
    for (const std::string& name : running) {
      kills.push_back(process_.Spawn(KillOne(worker, name, &left, &done)));
    }
    while (left > 0) co_await done.Wait();
    kills.clear();
    co_await runtime_.StopSandbox(uid);
  }
  prober_.RemovePod(uid);
  if (!worker->removed) statuses_.Set(worker->pod, Status(*worker, /*terminal=*/true));
}

// The podStatusFn of eviction_manager.go and TerminatePodAbnormallyAndWait; the condition is
// behind a feature gate that is off in 1.25.
Value PodWorkers::EvictedStatus(const Worker& worker, const Value& status) const {
  if (worker.evicted.empty()) return status;
  const Value message = Value::String(worker.evicted);
  const Value failed = status.Set("phase", Value::Of("Failed"))
                           .Set("reason", Value::Of("Evicted"))
                           .Set("message", message);
  if (env_.compat == api::Compat::k1_25) return failed;
  Value condition =
      api::MakeCondition("DisruptionTarget", "True", "TerminationByKubelet", worker.evicted);
  if (env_.compat == api::Compat::k1_36 && worker.pod.generation() != 0)
    condition = condition.Set("observedGeneration", Value::Int(worker.pod.generation()));
  return failed.Set("conditions",
                    api::UpdateCondition(failed.Get("conditions"), condition, process_.Now()));
}

sim::Task<void> PodWorkers::KillOne(Worker* worker, std::string container, int* left,
                                    sim::Signal* done) {
  for (const char* field : {"containers", "initContainers"}) {
    for (const Value& spec : worker->pod.spec().Get(field).items()) {
      if (spec.Get("name").AsString() != container) continue;
      Event(*worker, spec, false, "Normal", "Killing",
            fmt::format("Stopping container {}", container));
    }
  }
  const Duration grace = std::max(Seconds(worker->grace), kMinimumGrace);
  co_await runtime_.KillContainer(worker->uid(), container, grace);
  if (--*left == 0) done->Notify();
}

sim::Task<void> PodWorkers::SyncTerminated(Worker* worker) {
  const std::string uid = worker->uid();
  if (worker->removed) {
    worker->state = State::kFinished;
    runtime_.RemovePod(uid);
    statuses_.Forget(uid);
    restarts_.Forget(uid);
    workers_.erase(uid);
    co_return;
  }
  statuses_.Set(worker->pod, Status(*worker, /*terminal=*/true));
  worker->state = State::kFinished;
  statuses_.Terminate(worker->pod);
}

}  // namespace ksim::kubelet
