#include "ksim/kubelet/pod_workers.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ksim/api/pod.h"
#include "ksim/kubelet/pod_status.h"

namespace ksim::kubelet {

using value::Value;

namespace {

constexpr Duration kSyncFrequency = Seconds(60);
constexpr Duration kBackOffPeriod = Seconds(10);
// A container that waits longer than this to be restarted is not waited for.
constexpr Duration kLongestWait = Seconds(40);
constexpr Duration kMinimumGrace = Seconds(2);  // kuberuntime minimumGracePeriodInSeconds

const Container* ContainerNamed(const PodSandbox* sandbox, std::string_view name) {
  if (sandbox == nullptr) return nullptr;
  const auto it = sandbox->containers.find(std::string(name));
  return it == sandbox->containers.end() ? nullptr : &it->second;
}

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// util/format Pod: name_namespace(uid).
std::string Formatted(const api::Object& pod) {
  return fmt::format("{}_{}({})", pod.name(), pod.ns(), pod.uid());
}

// containerd names what it pulls; the texts are kubelet's (images/image_manager.go).
std::string PulledMessage(const std::string& image, const Runtime::Pulled& pulled,
                          api::Compat compat) {
  const std::string took = FormatDuration(Milliseconds(pulled.took.ns() / 1'000'000));
  const std::string waited = FormatDuration(Milliseconds(pulled.waited.ns() / 1'000'000));
  if (compat == api::Compat::k1_25) {
    return fmt::format("Successfully pulled image \"{}\" in {}", image, took);
  }
  return fmt::format(
      "Successfully pulled image \"{}\" in {} ({} including waiting). Image size: {} bytes.", image,
      took, waited, pulled.bytes);
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

struct PodWorkers::Worker {
  explicit Worker(sim::Simulation& sim) : wake(sim) {}
  api::Object pod;
  State state = State::kSync;
  bool dirty = false;      // an update or a change in the runtime not yet synced
  bool removed = false;    // the object is gone
  std::int64_t grace = 0;  // seconds; 0: it is not terminating
  // Of the last sync: whether it failed, when the first container that backs off may start, and why
  // containers wait.
  bool failed = false;
  std::optional<VirtualTime> retry_at;
  WaitingReasons waiting;
  sim::Process::TaskId task;
  sim::Origin origin;
  sim::Signal wake;

  std::string uid() const { return std::string(pod.uid()); }
};

PodWorkers::PodWorkers(sim::Process& process, client::Environment& env, Runtime& runtime,
                       StatusManager& statuses, client::EventRecorder& recorder, Prober& prober,
                       std::string host_ip)
    : process_(process),
      env_(env),
      runtime_(runtime),
      statuses_(statuses),
      recorder_(recorder),
      prober_(prober),
      host_ip_(std::move(host_ip)),
      resync_site_(env.sim.decisions().Site(fmt::format("resync/{}", process.name()))) {}

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
  if (worker.state == State::kSync) worker.pod = pod;
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
    runtime_.RemovePod(uid);
    workers_.erase(it);
    return;
  }
  if (worker.state == State::kSync) BeginTermination(worker);
}

void PodWorkers::KillOrphan(const api::Object& pod) {
  Worker& worker = WorkerOf(pod);
  worker.removed = true;
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
  const bool zero_counts = env_.compat != api::Compat::k1_25;
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
      const bool restarts = worker->retry_at && *worker->retry_at - env_.sim.now() <= kLongestWait;
      const sim::TimerKind kind = restarts ? sim::TimerKind::kWork : sim::TimerKind::kPeriodic;
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

// SyncPod: the status of what is there first, then whatever is missing.
sim::Task<void> PodWorkers::Sync(Worker* worker) {
  const Value status = Status(*worker, /*terminal=*/false);
  statuses_.Set(worker->pod, status);
  const std::string_view phase = status.Get("phase").AsString();
  if (phase == "Succeeded" || phase == "Failed") {
    worker->state = State::kTerminating;
    worker->grace = EffectiveGrace(0, worker->pod, {}, true);
    co_return;
  }
  worker->failed = false;
  worker->retry_at.reset();
  prober_.AddPod(worker->pod);
  const PodSandbox* sandbox = runtime_.Find(worker->pod.uid());
  if (sandbox == nullptr || !sandbox->ready) co_await runtime_.CreateSandbox(worker->pod);
  const std::vector<std::string> killed = co_await KillCondemned(worker);
  co_await StartContainers(worker, killed);
}

// computePodActions: a container whose liveness or startup probe has failed is killed, and started
// again in the same sync unless it never restarts.
sim::Task<std::vector<std::string>> PodWorkers::KillCondemned(Worker* worker) {
  std::vector<std::string> killed;
  const std::string uid = worker->uid();
  const bool again = api::PodView(worker->pod).restart_policy() != "Never";
  for (const char* field : {"initContainers", "containers"}) {
    const std::vector<Value> specs(worker->pod.spec().Get(field).items().begin(),
                                   worker->pod.spec().Get(field).items().end());
    for (const Value& spec : specs) {
      const std::string name(spec.Get("name").AsString());
      const Container* c = ContainerNamed(runtime_.Find(uid), name);
      if (c == nullptr || c->state != Container::State::kRunning) continue;
      const std::optional<ProbeType> by = prober_.Condemned(uid, name, c->id);
      if (!by) continue;
      Event(*worker, spec, false, "Normal", "Killing",
            fmt::format("Container {} failed {} probe{}", name, ToString(*by),
                        again ? ", will be restarted" : ""));
      std::int64_t grace = EffectiveGrace(0, worker->pod, {}, true);
      const Value& own = spec.Get(FieldOf(*by)).Get("terminationGracePeriodSeconds");
      if (own.is_int()) grace = own.AsInt();
      const Duration kill_in = std::max(Seconds(grace), kMinimumGrace);
      co_await runtime_.KillContainer(uid, name, kill_in);
      killed.push_back(name);
    }
  }
  co_return killed;
}

// Init containers one by one, each when the one before has ended well (a sidecar: has started);
// then all others in their order.
sim::Task<void> PodWorkers::StartContainers(Worker* worker, std::vector<std::string> killed) {
  const api::PodView view(worker->pod);
  const std::vector<Value> init(view.init_containers().items().begin(),
                                view.init_containers().items().end());
  for (const Value& spec : init) {
    const Container* c =
        ContainerNamed(runtime_.Find(worker->pod.uid()), spec.Get("name").AsString());
    const bool sidecar = api::PodView::IsSidecar(spec);
    const bool done = c != nullptr && c->state == Container::State::kExited && c->exit_code == 0;
    const bool starts = ShouldRestart(worker->pod, spec, c);
    if (starts && !BacksOff(*worker, spec, c)) co_await StartOne(worker, spec, !sidecar);
    if (!sidecar && !done) co_return;
  }
  const std::vector<Value> containers(view.containers().items().begin(),
                                      view.containers().items().end());
  for (const Value& spec : containers) {
    const std::string_view name = spec.Get("name").AsString();
    const Container* c = ContainerNamed(runtime_.Find(worker->pod.uid()), name);
    const bool condemned = Contains(killed, name);
    const bool again = condemned && api::PodView(worker->pod).restart_policy() != "Never";
    if (!again && !ShouldRestart(worker->pod, spec, c)) continue;
    // What has just been killed still counted as running when the sync began.
    const Container* ended = condemned && c != nullptr ? c->previous.get() : c;
    if (!BacksOff(*worker, spec, ended)) co_await StartOne(worker, spec, false);
  }
}

// doBackOff. `ended` is the newest container of that name that has; null: none has.
bool PodWorkers::BacksOff(Worker& worker, const Value& spec, const Container* ended) {
  if (ended == nullptr || ended->state != Container::State::kExited) return false;
  const VirtualTime now = env_.sim.now();
  const std::string name(spec.Get("name").AsString());
  const std::string key = worker.uid() + "/" + name;
  const VirtualTime until = restarts_.WaitsUntil(key, ended->finished);
  if (until <= now) {
    restarts_.Next(key, ended->finished, now);
    return false;
  }
  const bool v125 = env_.compat == api::Compat::k1_25;
  Event(worker, spec, ended->init, "Warning", "BackOff",
        v125 ? "Back-off restarting failed container"
             : fmt::format("Back-off restarting failed container {} in pod {}", name,
                           Formatted(worker.pod)));
  Failed(worker, spec, "CrashLoopBackOff",
         fmt::format("back-off {} restarting failed container={} pod={}",
                     FormatDuration(restarts_.Get(key)), name, Formatted(worker.pod)));
  worker.retry_at = worker.retry_at ? std::min(*worker.retry_at, until) : until;
  return true;
}

void PodWorkers::Failed(Worker& worker, const Value& spec, std::string_view reason,
                        std::string message) {
  WaitingReason& why = worker.waiting[std::string(spec.Get("name").AsString())];
  why.reason = std::string(reason);
  why.message = std::move(message);
  worker.failed = true;
}

sim::Task<void> PodWorkers::StartOne(Worker* worker, Value spec, bool init) {
  const std::string uid = worker->uid();
  const std::string name(spec.Get("name").AsString());
  const std::string image(spec.Get("image").AsString());
  const bool have = co_await EnsureImage(worker, spec);
  if (!have) co_return;
  co_await runtime_.CreateContainer(uid, name, image, init);
  const api::Compat compat = env_.compat;
  std::string created = "Container created";
  std::string started = "Container started";
  if (compat != api::Compat::k1_36) {
    const char* colon = compat == api::Compat::k1_30 ? ":" : "";
    created = fmt::format("Created container{} {}", colon, name);
    started = fmt::format("Started container {}", name);
  }
  Event(*worker, spec, init, "Normal", "Created", created);
  co_await runtime_.StartContainer(uid, name);
  Event(*worker, spec, init, "Normal", "Started", started);
  worker->waiting.erase(name);
}

sim::Task<bool> PodWorkers::EnsureImage(Worker* worker, Value spec) {
  const std::string image(spec.Get("image").AsString());
  const std::string_view policy = spec.Get("imagePullPolicy").AsString();
  const bool present = runtime_.HasImage(image);
  if (present && policy != "Always") {
    const char* more = env_.compat == api::Compat::k1_36 ? " and can be accessed by the pod" : "";
    Event(*worker, spec, false, "Normal", "Pulled",
          fmt::format("Container image \"{}\" already present on machine{}", image, more));
    co_return true;
  }
  if (policy == "Never") {
    const std::string message =
        fmt::format("Container image \"{}\" is not present with pull policy of Never", image);
    Event(*worker, spec, false, "Warning", "ErrImageNeverPull", message);
    Failed(*worker, spec, "ErrImageNeverPull", message);
    co_return false;
  }
  Event(*worker, spec, false, "Normal", "Pulling", fmt::format("Pulling image \"{}\"", image));
  const std::string name(spec.Get("name").AsString());
  const Runtime::Pulled pulled = co_await runtime_.PullImage(worker->uid(), name, image);
  Event(*worker, spec, false, "Normal", "Pulled", PulledMessage(image, pulled, env_.compat));
  co_return true;
}

// Containers are stopped all at once; sidecars and the sandbox after them.
sim::Task<void> PodWorkers::SyncTerminating(Worker* worker) {
  if (!worker->removed) statuses_.Set(worker->pod, Status(*worker, /*terminal=*/false));
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

void PodWorkers::Event(const Worker& worker, const Value& spec, bool init, std::string_view type,
                       std::string_view reason, std::string_view message) {
  const char* field = init ? "initContainers" : "containers";
  recorder_.Event(worker.pod, type, reason, message, {},
                  fmt::format("spec.{}{{{}}}", field, spec.Get("name").AsString()));
}

Value PodWorkers::Status(const Worker& worker, bool terminal) const {
  StatusInput input;
  input.pod = worker.pod;
  input.old_status = statuses_.Get(worker.pod.uid());
  if (input.old_status.is_null()) input.old_status = worker.pod.status();
  input.sandbox = runtime_.Find(worker.pod.uid());
  input.terminal = terminal;
  input.waiting = &worker.waiting;
  const std::string uid = worker.uid();
  input.health = [this, uid](const Container& c) {
    Health health;
    health.started = prober_.Started(uid, c.name, c.id);
    health.ready = health.started && prober_.Ready(uid, c.name, c.id);
    return health;
  };
  input.host_ip = host_ip_;
  input.now = process_.Now();
  input.compat = env_.compat;
  return GeneratePodStatus(input);
}

// completeWork.
Duration PodWorkers::ResyncAfter(const Worker& worker) {
  Duration base = worker.failed ? kBackOffPeriod : kSyncFrequency;
  if (worker.failed && worker.retry_at && env_.compat == api::Compat::k1_36)
    base = std::clamp(*worker.retry_at - env_.sim.now(), Duration(), kSyncFrequency);
  if (base == Duration()) return base;
  const std::uint64_t key = env_.IdentityOf("pods", worker.pod.ns(), worker.pod.name());
  return env_.sim.decisions().DrawDuration(resync_site_, key, base, base + base / 2);
}

}  // namespace ksim::kubelet
