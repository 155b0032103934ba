#include "ksim/kubelet/pod_workers/pod_workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/api/pod.h"
#include "ksim/kubelet/status/pod_status.h"

namespace ksim::kubelet {

using value::Value;

namespace {

constexpr Duration kSyncFrequency = Seconds(60);
constexpr Duration kBackOffPeriod = Seconds(10);
constexpr Duration kTransientErrorPeriod = Seconds(1);
// A run is quiet although a container waits longer than this to be restarted, or for its image.
constexpr Duration kLongestWait = Seconds(40);

}  // namespace

PodWorkers::PodWorkers(sim::Process& process, client::Environment& env, Runtime& runtime,
                       StatusManager& statuses, client::EventRecorder& recorder, Prober& prober,
                       PodObjects& objects, VolumeManager& volumes, std::string host_ip)
    : process_(process),
      env_(env),
      profile_(ProfileOf(env.compat)),
      runtime_(runtime),
      statuses_(statuses),
      recorder_(recorder),
      prober_(prober),
      objects_(objects),
      volumes_(volumes),
      starter_(process, env, runtime, recorder, objects, profile_),
      killer_(process, env, runtime, recorder),
      host_ip_(std::move(host_ip)),
      resync_site_(env.sim.decisions().Site("resync/" + process.name())) {}

PodWorkers::~PodWorkers() = default;

PodWorker& PodWorkers::WorkerOf(const api::Object& pod) {
  std::unique_ptr<PodWorker>& worker = workers_[std::string(pod.uid())];
  if (!worker) {
    worker = std::make_unique<PodWorker>(process_.simulation());
    worker->pod = pod;
    worker->origin = process_.simulation().CaptureOrigin();
    Spawn(*worker);
  }
  return *worker;
}

void PodWorkers::Update(const api::Object& pod) {
  const bool first = !Known(std::string(pod.uid()));
  PodWorker& worker = WorkerOf(pod);
  worker.pod = pod;
  worker.origin = process_.simulation().CaptureOrigin();
  const bool over = pod.deleting() || api::PodView(pod).terminal();
  if (worker.state == State::kSync && over) {
    const PodSandbox* sandbox = runtime_.Find(pod.uid());
    const bool stopped = sandbox == nullptr || !sandbox->AnyRunning();
    BeginTermination(worker);
    // The pod is over when the kubelet first sees it: there is nothing to kill.
    if (first && stopped && api::PodView(pod).terminal()) worker.state = State::kTerminated;
    return;
  }
  if (worker.state == State::kTerminating && pod.deleting() && BeginTermination(worker)) return;
  if (worker.state == State::kFinished) statuses_.Trigger(worker.uid());
  worker.dirty = true;
  worker.wake.Notify();
}

void PodWorkers::StatusSeen(const api::Object& pod) {
  PodWorker& worker = *workers_.at(std::string(pod.uid()));
  if (worker.state != State::kSync) return;
  worker.pod = pod;
  if (ReadinessDiffers(pod)) RuntimeChanged(worker.uid(), process_.simulation().CaptureOrigin());
}

void PodWorkers::Remove(const std::string& uid) {
  const auto it = workers_.find(uid);
  if (it == workers_.end()) return;
  PodWorker& worker = *it->second;
  worker.removed = true;
  worker.origin = process_.simulation().CaptureOrigin();
  if (worker.state == State::kFinished) {
    statuses_.Forget(uid);
    prober_.RemovePod(uid);
    starter_.Forget(uid);
    runtime_.RemovePod(uid);
    workers_.erase(it);
    return;
  }
  if (worker.state == State::kSync) BeginTermination(worker);
}

void PodWorkers::Evict(const std::string& uid, std::string why) {
  PodWorker& worker = *workers_.at(uid);
  worker.evicted = std::move(why);
  worker.origin = process_.simulation().CaptureOrigin();
  if (worker.state == State::kSync || worker.state == State::kTerminating)
    BeginTermination(worker, profile_.eviction_grace_seconds);
}

bool PodWorkers::Evicted(const std::string& uid) const {
  const auto it = workers_.find(uid);
  return it != workers_.end() && !it->second->evicted.empty();
}

void PodWorkers::KillOrphan(const api::Object& pod) {
  PodWorker& worker = WorkerOf(pod);
  worker.removed = true;
  worker.orphan = true;
  BeginTermination(worker, 1);
}

void PodWorkers::RuntimeChanged(const std::string& uid, const sim::Origin& origin) {
  const auto it = workers_.find(uid);
  if (it == workers_.end() || it->second->state != State::kSync) return;
  it->second->origin = origin;
  it->second->dirty = true;
  it->second->wake.Notify();
}

void PodWorkers::ObjectsChanged(const std::string& uid) {
  const auto it = workers_.find(uid);
  if (it == workers_.end() || it->second->state != State::kSync) return;
  it->second->news = true;
  if (it->second->failed) it->second->wake.Notify();
}

void PodWorkers::ProbeChanged(const std::string& uid) {
  RuntimeChanged(uid, process_.simulation().CaptureOrigin());
}

std::vector<std::string> PodWorkers::Uids() const {
  std::vector<std::string> uids;
  for (const auto& [uid, worker] : workers_) uids.push_back(uid);
  return uids;
}

bool PodWorkers::Finished(const std::string& uid) const {
  const auto it = workers_.find(uid);
  return it != workers_.end() && it->second->state == State::kFinished;
}

std::vector<api::Object> PodWorkers::ActivePods() const {
  std::vector<api::Object> pods;
  for (const auto& [uid, worker] : workers_) {
    const bool over = worker->state == State::kTerminated || worker->state == State::kFinished;
    if (!over) pods.push_back(worker->pod);
  }
  return pods;
}

// Cancels the running sync: what it waits for goes with its frame.
bool PodWorkers::BeginTermination(PodWorker& worker, std::optional<std::int64_t> grace_override) {
  const bool zero_counts = profile_.zero_grace_counts;
  const std::int64_t grace = EffectiveGrace(worker.grace, worker.pod, grace_override, zero_counts);
  if (worker.state == State::kTerminating && grace == worker.grace) return false;
  process_.Cancel(worker.task);
  worker.state = State::kTerminating;
  worker.grace = grace;
  Spawn(worker);
  return true;
}

void PodWorkers::Spawn(PodWorker& worker) { worker.task = process_.Spawn(Run(&worker)); }

// podWorkerLoop: syncs until the pod ends, then stops its containers, then finishes it.
sim::Task<void> PodWorkers::Run(PodWorker* worker) {
  // 1. Sync at each update, at each change of the runtime, and from time to time.
  while (worker->state == State::kSync) {
    worker->dirty = false;
    process_.simulation().AdoptOrigin(worker->origin);
    co_await Sync(worker);
    if (worker->state != State::kSync) break;
    // The next sync tells of what this one did or could not do, unless more has come since.
    worker->origin.cause =
        std::max(worker->origin.cause, process_.simulation().CaptureOrigin().cause);
    std::optional<VirtualTime> next;
    while (!worker->dirty) {
      if (!next) next = process_.SteadyNow() + ResyncAfter(*worker);
      const Duration wait = std::max(*next - process_.SteadyNow(), Duration());
      const auto is_soon = [now = process_.SteadyNow()](const std::optional<VirtualTime>& at) {
        return at && *at - now <= kLongestWait;
      };
      const bool retries =
          is_soon(worker->retry_at) || is_soon(worker->pull_at) || (worker->failed && worker->news);
      const sim::TimerKind kind = retries ? sim::TimerKind::kWork : sim::TimerKind::kPeriodic;
      const bool woken = co_await worker->wake.WaitFor(wait, kind);
      if (!woken) break;
    }
  }
  // 2. Stop what runs.
  if (worker->state == State::kTerminating) {
    process_.simulation().AdoptOrigin(worker->origin);
    co_await SyncTerminating(worker);
    worker->state = State::kTerminated;
  }
  // 3. Report the last status, or forget a pod whose object is gone.
  SyncTerminated(worker);
}

sim::Task<void> PodWorkers::Sync(PodWorker* worker) {
  // 1. Report the status of what there is; a pod that is over ends here.
  const Value status = Status(*worker, /*terminal=*/false);
  statuses_.Set(worker->pod, status);
  const std::string_view phase = status.Get("phase").AsString();
  if (phase == "Succeeded" || phase == "Failed") {
    worker->state = State::kTerminating;
    worker->grace = EffectiveGrace(0, worker->pod, {}, true);
    co_return;
  }

  // 2. Wait for the network and the volumes, then make the sandbox.
  worker->failed = worker->news = false;
  worker->retry_at.reset();
  worker->pull_at.reset();
  worker->no_network = LacksNetwork(*worker);
  if (worker->no_network) co_return;
  const bool mounted = co_await WaitForVolumes(worker);
  if (!mounted) co_return;
  prober_.AddPod(worker->pod);
  const PodSandbox* sandbox = runtime_.Find(worker->pod.uid());
  if (sandbox == nullptr || !sandbox->ready) co_await runtime_.CreateSandbox(worker->pod);

  // 3. Kill what must not run, and start what is missing.
  const PodActions actions = Actions(*worker);
  if (actions.kill_pod) {
    const std::int64_t grace = EffectiveGrace(0, worker->pod, {}, true);
    co_await killer_.KillPod(worker, grace);
    co_return;
  }
  co_await killer_.KillContainers(worker, actions.kills);
  co_await starter_.StartContainers(worker, actions);
}

// Most pods name no object but those that are there anyway, and wait for nothing.
sim::Task<bool> PodWorkers::WaitForVolumes(PodWorker* worker) {
  objects_.RegisterPod(worker->pod);
  if (volumes_.HasVolumes(worker->pod)) {
    const bool mounted = co_await volumes_.WaitForMounts(worker->pod);
    worker->failed = !mounted;
    if (!mounted) co_return false;
  }
  if (!worker->pod.spec().Get("imagePullSecrets").empty())
    co_await starter_.config().LookForPullSecrets(worker);
  co_return true;
}

PodActions PodWorkers::Actions(const PodWorker& worker) const {
  const std::string uid = worker.uid();
  const ProbesOf probes = [this, &uid](const Container& c) {
    ProbeResults results;
    results.started = prober_.Started(uid, c.name, c.id);
    results.failed_probe = prober_.FailedProbe(uid, c.name, c.id);
    return results;
  };
  return ComputePodActions(worker.pod, runtime_.Find(uid), probes);
}

// A pod on the host's network does not wait for the pods' network.
bool PodWorkers::LacksNetwork(const PodWorker& worker) {
  if (!runtime_.Has(Trouble::kNetwork) || worker.pod.spec().Get("hostNetwork").AsBool())
    return false;
  recorder_.Event(worker.pod, "Warning", "NetworkNotReady",
                  fmt::format("network is not ready: {}", kNetworkNotReady));
  return true;
}

sim::Task<void> PodWorkers::SyncTerminating(PodWorker* worker) {
  const Value status = EvictedStatus(*worker, Status(*worker, /*terminal=*/false));
  if (!worker->removed) statuses_.Set(worker->pod, status);
  const std::string uid = worker->uid();
  prober_.StopLivenessAndStartup(uid);
  co_await killer_.KillPod(worker, worker->grace);
  prober_.RemovePod(uid);
  if (!worker->removed) statuses_.Set(worker->pod, Status(*worker, /*terminal=*/true));
}

void PodWorkers::SyncTerminated(PodWorker* worker) {
  const std::string uid = worker->uid();
  volumes_.Forget(uid);
  objects_.UnregisterPod(uid);
  if (worker->removed) {
    worker->state = State::kFinished;
    runtime_.RemovePod(uid);
    // The status of a pod that was rejected while its orphan ran may be sent now.
    if (worker->orphan) {
      statuses_.Trigger(uid);
    } else {
      statuses_.Forget(uid);
    }
    starter_.Forget(uid);
    workers_.erase(uid);
    return;
  }
  worker->state = State::kFinished;
  // A pod that was over before the simulation has the status that its kubelet gave it.
  const PodSandbox* sandbox = runtime_.Find(worker->pod.uid());
  if (sandbox != nullptr && sandbox->adopted && api::PodView(sandbox->pod).terminal()) {
    statuses_.Set(worker->pod, worker->pod.status());
    return;
  }
  statuses_.Set(worker->pod, Status(*worker, /*terminal=*/true));
  statuses_.Terminate(worker->pod);
}

// The podStatusFn of eviction_manager.go and TerminatePodAbnormallyAndWait.
Value PodWorkers::EvictedStatus(const PodWorker& worker, const Value& status) const {
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

Value PodWorkers::Status(const PodWorker& worker, bool terminal) const {
  StatusInput input;
  input.pod = worker.pod;
  input.old_status = statuses_.Get(worker.pod.uid());
  if (input.old_status.is_null()) input.old_status = worker.pod.status();
  input.sandbox = runtime_.Find(worker.pod.uid());
  input.terminal = terminal;
  input.waiting = &worker.waiting;
  input.health = [this, &input](const Container& c) {
    bool was_started = false;
    for (const char* field : {"containerStatuses", "initContainerStatuses"})
      for (const Value& s : input.old_status.Get(field).items())
        was_started =
            was_started || (s.Get("containerID").AsString() == c.id && s.Get("started").AsBool());
    return prober_.HealthOf(input.pod, c, was_started);
  };
  input.host_ip = host_ip_;
  input.now = process_.Now();
  input.profile = &profile_;
  return GeneratePodStatus(input);
}

// completeWork.
Duration PodWorkers::ResyncAfter(const PodWorker& worker) {
  Duration base = worker.failed ? kBackOffPeriod : kSyncFrequency;
  if (worker.no_network) base = kTransientErrorPeriod;
  if (worker.failed && worker.retry_at && profile_.retries_after_backoff)
    base = std::clamp(*worker.retry_at - process_.SteadyNow(), Duration(), kSyncFrequency);
  if (base == Duration()) return base;
  const std::uint64_t key = env_.IdentityOf("pods", worker.pod.ns(), worker.pod.name());
  return env_.sim.decisions().DrawDuration(resync_site_, key, base, base + base / 2);
}

}  // namespace ksim::kubelet
