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
constexpr Duration kMinimumGrace = Seconds(2);  // kuberuntime minimumGracePeriodInSeconds

// calculateEffectiveGracePeriod: never below a second.
Duration GraceOf(const api::Object& pod) {
  const api::PodView view(pod);
  std::optional<std::int64_t> seconds = view.deletion_grace_period_seconds();
  if (!seconds) seconds = view.termination_grace_period_seconds();
  return Seconds(std::max<std::int64_t>(1, seconds.value_or(30)));
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

struct PodWorkers::Worker {
  explicit Worker(sim::Simulation& sim) : wake(sim) {}
  api::Object pod;
  State state = State::kSync;
  bool dirty = false;    // an update or a change in the runtime not yet synced
  bool removed = false;  // the object is gone
  Duration grace = Duration::Max();
  sim::Process::TaskId task;
  sim::Origin origin;
  sim::Signal wake;

  std::string uid() const { return std::string(pod.uid()); }
};

PodWorkers::PodWorkers(sim::Process& process, client::Environment& env, Runtime& runtime,
                       StatusManager& statuses, client::EventRecorder& recorder,
                       std::string host_ip)
    : process_(process),
      env_(env),
      runtime_(runtime),
      statuses_(statuses),
      recorder_(recorder),
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
    BeginTermination(worker, GraceOf(pod));
    // Seen for the first time and already over: nothing to kill.
    if (first && stopped && api::PodView(pod).terminal()) worker.state = State::kTerminated;
    return;
  }
  if (worker.state == State::kTerminating && pod.deleting() && GraceOf(pod) < worker.grace) {
    BeginTermination(worker, GraceOf(pod));
    return;
  }
  if (worker.state == State::kFinished) statuses_.Trigger(worker.uid());
  worker.dirty = true;
  worker.wake.Notify();
}

void PodWorkers::PhaseIsOver(const api::Object& pod) {
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
    runtime_.RemovePod(uid);
    workers_.erase(it);
    return;
  }
  if (worker.state == State::kSync) BeginTermination(worker, Seconds(1));
}

void PodWorkers::KillOrphan(const api::Object& pod) {
  Worker& worker = WorkerOf(pod);
  worker.removed = true;
  BeginTermination(worker, Seconds(1));
}

void PodWorkers::RuntimeChanged(const std::string& uid, const sim::Origin& origin) {
  const auto it = workers_.find(uid);
  if (it == workers_.end() || it->second->state != State::kSync) return;
  it->second->origin = origin;
  it->second->dirty = true;
  it->second->wake.Notify();
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
void PodWorkers::BeginTermination(Worker& worker, Duration grace) {
  process_.Cancel(worker.task);
  worker.state = State::kTerminating;
  worker.grace = std::min(worker.grace, grace);
  Spawn(worker);
}

void PodWorkers::Spawn(Worker& worker) { worker.task = process_.Spawn(Run(&worker)); }

sim::Task<void> PodWorkers::Run(Worker* worker) {
  while (worker->state == State::kSync) {
    worker->dirty = false;
    process_.simulation().AdoptOrigin(worker->origin);
    co_await Sync(worker);
    if (worker->state != State::kSync) break;
    while (!worker->dirty) {
      const bool woken =
          co_await worker->wake.WaitFor(ResyncAfter(*worker), sim::TimerKind::kPeriodic);
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
    worker->grace = GraceOf(worker->pod);
    co_return;
  }
  const PodSandbox* sandbox = runtime_.Find(worker->pod.uid());
  if (sandbox == nullptr || !sandbox->ready) co_await runtime_.CreateSandbox(worker->pod);
  co_await StartContainers(worker);
}

// Init containers one by one, each when the one before has ended well (a sidecar: has started);
// then all others in their order.
sim::Task<void> PodWorkers::StartContainers(Worker* worker) {
  const api::PodView view(worker->pod);
  const std::vector<Value> init(view.init_containers().items().begin(),
                                view.init_containers().items().end());
  for (const Value& spec : init) {
    const PodSandbox* sandbox = runtime_.Find(worker->pod.uid());
    const auto it = sandbox->containers.find(std::string(spec.Get("name").AsString()));
    const bool sidecar = api::PodView::IsSidecar(spec);
    if (it == sandbox->containers.end()) {
      co_await StartOne(worker, spec, !sidecar);
      if (!sidecar) co_return;
      continue;
    }
    const Container& c = it->second;
    const bool done = c.state == Container::State::kExited && c.exit_code == 0;
    if (!sidecar && !done) co_return;
  }
  const std::vector<Value> containers(view.containers().items().begin(),
                                      view.containers().items().end());
  for (const Value& spec : containers) {
    const PodSandbox* sandbox = runtime_.Find(worker->pod.uid());
    const auto it = sandbox->containers.find(std::string(spec.Get("name").AsString()));
    const bool there = it != sandbox->containers.end();
    if (!there || it->second.state == Container::State::kCreated) {
      co_await StartOne(worker, spec, false);
    }
  }
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
    Event(*worker, spec, false, "Warning", "ErrImageNeverPull",
          fmt::format("Container image \"{}\" is not present with pull policy of Never", image));
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
  const Duration grace = std::max(worker->grace, kMinimumGrace);
  co_await runtime_.KillContainer(worker->uid(), container, grace);
  if (--*left == 0) done->Notify();
}

sim::Task<void> PodWorkers::SyncTerminated(Worker* worker) {
  const std::string uid = worker->uid();
  if (worker->removed) {
    worker->state = State::kFinished;
    runtime_.RemovePod(uid);
    statuses_.Forget(uid);
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
  input.host_ip = host_ip_;
  input.now = process_.Now();
  input.compat = env_.compat;
  return GeneratePodStatus(input);
}

// syncFrequency 60 s times [1, 1.5).
Duration PodWorkers::ResyncAfter(Worker& worker) {
  const std::uint64_t key = env_.IdentityOf("pods", worker.pod.ns(), worker.pod.name());
  return env_.sim.decisions().DrawDuration(resync_site_, key, kSyncFrequency,
                                           kSyncFrequency + kSyncFrequency / 2);
}

}  // namespace ksim::kubelet
