// PodWorkers: a sync of a pod that is wanted: what must be killed, and what is missing.
//
// Source: pkg/kubelet/kubelet.go SyncPod; kuberuntime SyncPod, computePodActions, doBackOff,
// startContainer; images/image_manager.go EnsureImageExists.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ksim/api/pod.h"
#include "ksim/kubelet/pod_worker.h"

namespace ksim::kubelet {

using value::Value;

namespace {

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
  worker->no_network = NoNetwork(*worker);
  if (worker->no_network) co_return;
  prober_.AddPod(worker->pod);
  const PodSandbox* sandbox = runtime_.Find(worker->pod.uid());
  if (sandbox == nullptr || !sandbox->ready) co_await runtime_.CreateSandbox(worker->pod);
  const std::vector<std::string> killed = co_await KillCondemned(worker);
  co_await StartContainers(worker, killed);
}

// A pod that has no network of its own does not wait for it.
bool PodWorkers::NoNetwork(const Worker& worker) {
  if (!runtime_.Has(Trouble::kNetwork) || worker.pod.spec().Get("hostNetwork").AsBool())
    return false;
  recorder_.Event(worker.pod, "Warning", "NetworkNotReady",
                  fmt::format("network is not ready: {}", kNetworkNotReady));
  return true;
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

}  // namespace ksim::kubelet
