#include "ksim/kubelet/pod_workers/pod_workers.h"

#include <algorithm>
#include <vector>

#include "ksim/api/pod.h"
#include "ksim/kubelet/pod_workers/pod_worker.h"
#include "ksim/kubelet/status/pod_status.h"

namespace ksim::kubelet {

using value::Value;

namespace {

constexpr Duration kSyncFrequency = Seconds(60);
constexpr Duration kBackOffPeriod = Seconds(10);
constexpr Duration kTransientErrorPeriod = Seconds(1);
// A container that waits longer than this to be restarted, or for its image, is not waited for.
constexpr Duration kLongestWait = Seconds(40);

}  // namespace

PodWorkers::PodWorkers(sim::Process& process, client::Environment& env, Runtime& runtime,
                       StatusManager& statuses, client::EventRecorder& recorder, Prober& prober,
                       std::string host_ip)
    : process_(process),
      env_(env),
      profile_(ProfileOf(env.compat)),
      runtime_(runtime),
      statuses_(statuses),
      recorder_(recorder),
      prober_(prober),
      host_ip_(std::move(host_ip)),
      resync_site_(env.sim.decisions().Site("resync/" + process.name())) {}

PodWorkers::~PodWorkers() = default;

PodWorkers::Worker& PodWorkers::WorkerOf(const api::Object& pod) {
  std::unique_ptr<Worker>& worker = workers_[std::string(pod.uid())];
  if (!worker) {
    worker = std::make_unique<Worker>(process_.simulation());
    worker->pod = pod;
    worker->origin = process_.simulation().CaptureOrigin();
    Spawn(*worker);
  }
  return *worker;
}

void PodWorkers::Update(const api::Object& pod) {
  const bool first = !Known(std::string(pod.uid()));
  Worker& worker = WorkerOf(pod);
  worker.pod = pod;
  worker.origin = process_.simulation().CaptureOrigin();
  const bool over = pod.deleting() || api::PodView(pod).terminal();
  if (worker.state == State::kSync && over) {
    const PodSandbox* sandbox = runtime_.Find(pod.uid());
    const bool stopped = sandbox == nullptr || !sandbox->AnyRunning();
    BeginTermination(worker);
    // Seen for the first time and already over: nothing to kill.
    if (first && stopped && api::PodView(pod).terminal()) worker.state = State::kTerminated;
    return;
  }
  if (worker.state == State::kTerminating && pod.deleting() && BeginTermination(worker)) return;
  if (worker.state == State::kFinished) statuses_.Trigger(worker.uid());
  worker.dirty = true;
  worker.wake.Notify();
}

void PodWorkers::StatusSeen(const api::Object& pod) {
  Worker& worker = *workers_.at(std::string(pod.uid()));
  if (worker.state != State::kSync) return;
  worker.pod = pod;
  if (ReadinessDiffers(pod)) RuntimeChanged(worker.uid(), process_.simulation().CaptureOrigin());
}

void PodWorkers::Remove(const std::string& uid) {
  const auto it = workers_.find(uid);
  if (it == workers_.end()) return;
  Worker& worker = *it->second;
  worker.removed = true;
  worker.origin = process_.simulation().CaptureOrigin();
  if (worker.state == State::kFinished) {
    statuses_.Forget(uid);
    prober_.RemovePod(uid);
    restarts_.Forget(uid);
    pulls_.Forget(uid);
    runtime_.RemovePod(uid);
    workers_.erase(it);
    return;
  }
  if (worker.state == State::kSync) BeginTermination(worker);
}

void PodWorkers::Evict(const std::string& uid, std::string why) {
  Worker& worker = *workers_.at(uid);
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
  Worker& worker = WorkerOf(pod);
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

// Cuts the running sync short: what it was waiting for goes with its frame.
bool PodWorkers::BeginTermination(Worker& worker, std::optional<std::int64_t> grace_override) {
  const bool zero_counts = profile_.zero_grace_counts;
  const std::int64_t grace = EffectiveGrace(worker.grace, worker.pod, grace_override, zero_counts);
  if (worker.state == State::kTerminating && grace == worker.grace) return false;
  process_.Cancel(worker.task);
  worker.state = State::kTerminating;
  worker.grace = grace;
  Spawn(worker);
  return true;
}

void PodWorkers::Spawn(Worker& worker) { worker.task = process_.Spawn(Run(&worker)); }

sim::Task<void> PodWorkers::Run(Worker* worker) {
  while (worker->state == State::kSync) {
    worker->dirty = false;
    process_.simulation().AdoptOrigin(worker->origin);
    co_await Sync(worker);
    if (worker->state != State::kSync) break;
    while (!worker->dirty) {
      const Duration wait = ResyncAfter(*worker);
      const auto soon = [now = env_.sim.now()](const std::optional<VirtualTime>& at) {
        return at && *at - now <= kLongestWait;
      };
      const bool again = soon(worker->retry_at) || soon(worker->pull_at);
      const sim::TimerKind kind = again ? sim::TimerKind::kWork : sim::TimerKind::kPeriodic;
      const bool woken = co_await worker->wake.WaitFor(wait, kind);
      if (!woken) break;
    }
  }
  if (worker->state == State::kTerminating) {
    process_.simulation().AdoptOrigin(worker->origin);
    co_await SyncTerminating(worker);
    worker->state = State::kTerminated;
  }
  co_await SyncTerminated(worker);
}

void PodWorkers::Event(const Worker& worker, const Value& spec, std::string_view type,
                       std::string_view reason, std::string_view message) {
  recorder_.Event(worker.pod, type, reason, message, {},
                  ContainerFieldPath(worker.pod, spec.Get("name").AsString()));
}

Value PodWorkers::Status(const Worker& worker, bool terminal) const {
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
Duration PodWorkers::ResyncAfter(const Worker& worker) {
  Duration base = worker.failed ? kBackOffPeriod : kSyncFrequency;
  if (worker.no_network) base = kTransientErrorPeriod;
  if (worker.failed && worker.retry_at && profile_.retries_after_backoff)
    base = std::clamp(*worker.retry_at - env_.sim.now(), Duration(), kSyncFrequency);
  if (base == Duration()) return base;
  const std::uint64_t key = env_.IdentityOf("pods", worker.pod.ns(), worker.pod.name());
  return env_.sim.decisions().DrawDuration(resync_site_, key, base, base + base / 2);
}

}  // namespace ksim::kubelet
