#include "ksim/kubelet/prober/prober.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/conditions.h"
#include "ksim/api/pod.h"
#include "ksim/kubelet/status/pod_status.h"
#include "ksim/value/timestamp.h"

namespace ksim::kubelet {

using value::Value;

namespace {

constexpr ProbeType kTypes[] = {ProbeType::kLiveness, ProbeType::kReadiness, ProbeType::kStartup};
// A run does not wait for a probe that has not succeeded by then.
constexpr int kProbesWaitedFor = 20;
// A container that started so long before the kubelet has survived a restart of the kubelet.
constexpr Duration kRestartGrace = Seconds(10);

Duration SecondsOf(const Value& probe, std::string_view field, std::int64_t least) {
  return Seconds(std::max(least, probe.Get(field).AsInt()));
}

// The newest status of a container, be it an init container.
const Value* StatusOfContainer(const Value& status, std::string_view container) {
  for (const char* field : {"containerStatuses", "initContainerStatuses"})
    for (const Value& s : status.Get(field).items())
      if (s.Get("name").AsString() == container && !s.Get("containerID").AsString().empty())
        return &s;
  return nullptr;
}

}  // namespace

struct Prober::Worker {
  explicit Worker(sim::Simulation& sim) : wake(sim) {}
  api::Object pod;
  std::string container;
  ProbeType type = ProbeType::kReadiness;
  Value probe;
  std::string id;  // of the container that the result is about
  Result result = Result::kUnknown;
  bool has_result = false;         // one has been set, be it the first
  Result last = Result::kUnknown;  // found by the last probe
  std::int64_t run = 0;            // so many times in a row
  int probes = 0;                  // of this container
  bool on_hold = false;
  sim::Process::TaskId task;
  sim::Signal wake;
};

Prober::Prober(sim::Process& process, client::Environment& env, const StatusManager& statuses,
               client::EventRecorder& recorder, bool takes_over,
               std::function<void(const std::string&)> changed)
    : process_(process),
      env_(env),
      profile_(ProfileOf(env.compat)),
      statuses_(statuses),
      recorder_(recorder),
      takes_over_(takes_over),
      changed_(std::move(changed)),
      started_(env.sim.now()),
      delay_site_(env.sim.decisions().Site("probe/" + process.name())) {}

Prober::~Prober() = default;

const Prober::Worker* Prober::Find(const std::string& uid, const std::string& container,
                                   ProbeType type) const {
  const auto it = workers_.find(Key(uid, container, type));
  return it == workers_.end() ? nullptr : it->second.get();
}

void Prober::AddPod(const api::Object& pod) {
  const api::PodView view(pod);
  const auto add = [&](const Value& container) {
    for (const ProbeType type : kTypes)
      if (!container.Get(FieldOf(type)).is_null()) AddWorker(pod, container, type);
  };
  for (const Value& container : view.init_containers().items())
    if (api::PodView::IsSidecar(container)) add(container);
  for (const Value& container : view.containers().items()) add(container);
}

void Prober::AddWorker(const api::Object& pod, const Value& container, ProbeType type) {
  const Key key(std::string(pod.uid()), std::string(container.Get("name").AsString()), type);
  std::shared_ptr<Worker>& worker = workers_[key];
  if (worker != nullptr) return;
  worker = std::make_shared<Worker>(env_.sim);
  worker->pod = pod;
  worker->container = std::get<1>(key);
  worker->type = type;
  worker->probe = container.Get(FieldOf(type));
  worker->task = process_.Spawn(Run(this, worker));
}

void Prober::Stop(const Key& key) {
  const auto it = workers_.find(key);
  if (it == workers_.end()) return;
  process_.Cancel(it->second->task);
  workers_.erase(it);
}

void Prober::StopLivenessAndStartup(const std::string& uid) {
  std::vector<Key> keys;
  for (const auto& [key, worker] : workers_)
    if (std::get<0>(key) == uid && worker->type != ProbeType::kReadiness) keys.push_back(key);
  for (const Key& key : keys) Stop(key);
}

void Prober::RemovePod(const std::string& uid) {
  std::vector<Key> keys;
  for (const auto& [key, worker] : workers_)
    if (std::get<0>(key) == uid) keys.push_back(key);
  for (const Key& key : keys) Stop(key);
}

// A run waits for a pod to become ready, but not for ever.
sim::TimerKind Prober::KindOf(const Worker& worker) const {
  const bool awaited = worker.type != ProbeType::kLiveness && worker.result != Result::kSuccess &&
                       worker.probes < kProbesWaitedFor;
  return awaited ? sim::TimerKind::kWork : sim::TimerKind::kPeriodic;
}

// After a restart of the kubelet the workers do not all begin at once.
sim::Task<void> Prober::Run(Prober* self, std::shared_ptr<Worker> worker) {
  client::Environment& env = self->env_;
  const Duration period = SecondsOf(worker->probe, "periodSeconds", 1);
  if (period > env.sim.now() - self->started_) {
    const std::uint64_t key =
        sim::KeyOf(env.IdentityOf("pods", worker->pod.ns(), worker->pod.name()),
                   sim::KeyOf(worker->container));
    const Duration delay = env.sim.decisions().DrawDuration(self->delay_site_, key, {}, period);
    co_await env.sim.Sleep(delay, self->KindOf(*worker), "probe");
  }
  VirtualTime tick = env.sim.SteadyNow() + period;
  while (self->Probe(*worker)) {
    const Duration wait = tick - env.sim.SteadyNow();
    const bool asked = co_await worker->wake.WaitFor(wait, self->KindOf(*worker));
    if (!asked) {
      tick = tick + period;
    } else if (self->profile_.triggered_probe_resets_ticker) {
      tick = env.sim.SteadyNow() + period;  // a run that was asked for is the first of its own
    }
  }
}

bool Prober::Probe(Worker& worker) {
  // 1. The container must have a status; a pod that is over needs no probes.
  const Value& status = statuses_.Get(worker.pod.uid());
  if (status.is_null()) return true;
  const std::string_view phase = status.Get("phase").AsString();
  if (phase == "Succeeded" || phase == "Failed") return false;
  const Value* container = StatusOfContainer(status, worker.container);
  if (container == nullptr) return true;

  // 2. A new container begins with the probe's initial result.
  if (container->Get("containerID").AsString() != worker.id) {
    worker.id = std::string(container->Get("containerID").AsString());
    worker.result = Result::kUnknown;
    worker.probes = 0;
    worker.on_hold = false;
    worker.has_result = false;
    const Value& running = container->Get("state").Get("running");
    const auto since = value::ParseTimestamp(running.Get("startedAt").AsString());
    // From 1.35 on a restart of the kubelet makes no container unready.
    const bool survived = since.ok() && HasSurvivedRestart(*since);
    if (survived && worker.type == ProbeType::kStartup && container->Get("started").AsBool())
      Set(worker, Result::kSuccess);
    if (!survived) {
      worker.has_result = true;
      if (worker.type == ProbeType::kReadiness) Set(worker, Result::kFailure);
      if (worker.type == ProbeType::kLiveness) Set(worker, Result::kSuccess);
    }
  }

  // 3. The container must run, past its initial delay, and be at the stage that the probe is for.
  if (worker.on_hold) return true;
  const Value& running = container->Get("state").Get("running");
  if (running.is_null()) {
    Set(worker, Result::kFailure);
    return !container->Get("state").Has("terminated") ||
           api::PodView(worker.pod).restart_policy() != "Never";
  }
  const auto since = value::ParseTimestamp(running.Get("startedAt").AsString());
  const Duration age = since.ok() ? env_.sim.now() - *since : Duration();
  const Duration whole = Seconds(age.ns() / Seconds(1).ns());
  if (whole < SecondsOf(worker.probe, "initialDelaySeconds", 0)) return true;
  const bool started = container->Get("started").AsBool();
  if (started == (worker.type == ProbeType::kStartup)) return true;

  // 4. Probe.
  ++worker.probes;
  const ProbeOutcome outcome = OutcomeOf(worker.pod, worker.container, worker.type, age);
  if (outcome == ProbeOutcome::kError) return true;  // thrown away
  if (outcome == ProbeOutcome::kFail) RecordFailure(worker);
  Count(worker, outcome == ProbeOutcome::kPass);
  return true;
}

void Prober::Count(Worker& worker, bool success) {
  const Result found = success ? Result::kSuccess : Result::kFailure;
  worker.run = worker.last == found ? worker.run + 1 : 1;
  worker.last = found;
  const char* threshold = success ? "successThreshold" : "failureThreshold";
  if (worker.run < std::max<std::int64_t>(1, worker.probe.Get(threshold).AsInt())) return;
  if (!success && worker.type != ProbeType::kReadiness) {
    worker.on_hold = true;
    worker.run = 0;
  }
  Set(worker, found);
}

void Prober::Set(Worker& worker, Result result) {
  worker.has_result = true;
  if (std::exchange(worker.result, result) == result) return;
  const bool fine = worker.type == ProbeType::kLiveness && result == Result::kSuccess;
  if (!fine) changed_(std::string(worker.pod.uid()));
}

void Prober::RecordFailure(const Worker& worker) {
  std::string what(ToString(worker.type));
  what[0] = static_cast<char>(what[0] - 'a' + 'A');
  const char* output = worker.probe.Has("httpGet") ? "HTTP probe failed with statuscode: 503" : "";
  recorder_.Event(worker.pod, "Warning", "Unhealthy",
                  fmt::format("{} probe failed: {}", what, output), {},
                  ContainerFieldPath(worker.pod, worker.container));
}

bool Prober::Started(const std::string& uid, const std::string& container,
                     std::string_view id) const {
  const Worker* worker = Find(uid, container, ProbeType::kStartup);
  return worker == nullptr || (worker->id == id && worker->result == Result::kSuccess);
}

bool Prober::HasSurvivedRestart(VirtualTime since) const {
  if (takes_over_ && since <= started_) return true;
  return profile_.probes_survive_restart && since < started_ - kRestartGrace;
}

Health Prober::HealthOf(const api::Object& pod, const Container& c, bool was_started) {
  const std::string uid(pod.uid());
  const bool survived = HasSurvivedRestart(c.started);
  const Worker* startup = Find(uid, c.name, ProbeType::kStartup);
  const bool no_startup = startup == nullptr || startup->id != c.id || !startup->has_result;
  Health health;
  health.started = Started(uid, c.name, c.id) || (survived && was_started && no_startup);
  health.ready = false;
  const auto it = workers_.find(Key(uid, c.name, ProbeType::kReadiness));
  if (!health.started) return health;
  if (it == workers_.end()) {
    health.ready = true;
  } else {
    Worker& worker = *it->second;
    if (worker.id == c.id && worker.result == Result::kSuccess) {
      health.ready = true;
      return health;
    }
    worker.wake.Notify();
    const bool no_result = worker.id != c.id || !worker.has_result;
    // setReadyStateOnKubeletRestart
    if (survived && no_result)
      health.ready = api::ConditionStatus(pod.status().Get("conditions"), "Ready") == "True";
  }
  return health;
}

std::optional<ProbeType> Prober::FailedProbe(const std::string& uid, const std::string& container,
                                             std::string_view id) const {
  for (const ProbeType type : {ProbeType::kLiveness, ProbeType::kStartup}) {
    const Worker* worker = Find(uid, container, type);
    if (worker != nullptr && worker->id == id && worker->result == Result::kFailure) return type;
  }
  return std::nullopt;
}

}  // namespace ksim::kubelet
