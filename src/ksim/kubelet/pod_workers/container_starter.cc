// PodWorkers: a sync of a pod that is wanted: what must be killed, and what is missing.
//
// Source: pkg/kubelet/kubelet.go SyncPod; kuberuntime SyncPod, computePodActions, doBackOff,
// startContainer.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ksim/api/pod.h"
#include "ksim/kubelet/pod_workers/pod_worker.h"

namespace ksim::kubelet {

using value::Value;

namespace {

// util/format Pod: name_namespace(uid).
std::string Formatted(const api::Object& pod) {
  return fmt::format("{}_{}({})", pod.name(), pod.ns(), pod.uid());
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
  worker->pull_at.reset();
  worker->no_network = NoNetwork(*worker);
  if (worker->no_network) co_return;
  prober_.AddPod(worker->pod);
  const PodSandbox* sandbox = runtime_.Find(worker->pod.uid());
  if (sandbox == nullptr || !sandbox->ready) co_await runtime_.CreateSandbox(worker->pod);
  const PodActions actions = Actions(*worker);
  if (actions.kill_pod) {
    const std::int64_t grace = EffectiveGrace(0, worker->pod, {}, true);
    co_await KillPod(worker, grace);
    co_return;
  }
  co_await KillCondemned(worker, actions.kills);
  co_await StartContainers(worker, actions);
}

PodActions PodWorkers::Actions(const Worker& worker) const {
  const std::string uid = worker.uid();
  const ProbesOf probes = [this, &uid](const Container& c) {
    ProbeResults results;
    results.started = prober_.Started(uid, c.name, c.id);
    results.condemned = prober_.Condemned(uid, c.name, c.id);
    return results;
  };
  return ComputePodActions(worker.pod, runtime_.Find(uid), probes);
}

// A pod that has no network of its own does not wait for it.
bool PodWorkers::NoNetwork(const Worker& worker) {
  if (!runtime_.Has(Trouble::kNetwork) || worker.pod.spec().Get("hostNetwork").AsBool())
    return false;
  recorder_.Event(worker.pod, "Warning", "NetworkNotReady",
                  fmt::format("network is not ready: {}", kNetworkNotReady));
  return true;
}

// The kills of a sync, one after the other, each with the grace of the probe that asked for it.
sim::Task<void> PodWorkers::KillCondemned(Worker* worker, std::vector<PodActions::Kill> kills) {
  for (const PodActions::Kill& kill : kills) {
    Event(*worker, kill.spec, "Normal", "Killing", kill.message);
    std::int64_t grace = EffectiveGrace(0, worker->pod, {}, true);
    const Value& own = kill.spec.Get(FieldOf(kill.by)).Get("terminationGracePeriodSeconds");
    if (own.is_int()) grace = own.AsInt();
    const Duration kill_in = std::max(Seconds(grace), kMinimumGrace);
    co_await runtime_.KillContainer(worker->uid(), std::string(kill.spec.Get("name").AsString()),
                                    kill_in);
  }
}

// An init container that must end and cannot be started keeps all that follows from it; a sidecar
// does not.
sim::Task<void> PodWorkers::StartContainers(Worker* worker, PodActions actions) {
  for (const PodActions::Start& start : actions.init_containers) {
    const bool sidecar = api::PodView::IsSidecar(start.spec);
    const bool waits = BacksOff(*worker, start);
    if (!waits) co_await StartOne(worker, start.spec, !sidecar);
    const bool failed = worker->waiting.contains(std::string(start.spec.Get("name").AsString()));
    if (failed && !sidecar) co_return;
  }
  for (const PodActions::Start& start : actions.containers) {
    if (!BacksOff(*worker, start)) co_await StartOne(worker, start.spec, false);
  }
}

// doBackOff. What was killed in this sync still counted as running when it began.
bool PodWorkers::BacksOff(Worker& worker, const PodActions::Start& start) {
  if (!start.ended) return false;
  const VirtualTime now = env_.sim.now();
  const std::string name(start.spec.Get("name").AsString());
  const std::string key = worker.uid() + "/" + name;
  const VirtualTime until = restarts_.WaitsUntil(key, start.ended->finished);
  if (until <= now) {
    restarts_.Next(key, start.ended->finished, now);
    return false;
  }
  Event(worker, start.spec, "Warning", "BackOff",
        profile_.backoff_event_names_container
            ? fmt::format("Back-off restarting failed container {} in pod {}", name,
                          Formatted(worker.pod))
            : "Back-off restarting failed container");
  Failed(worker, start.spec, "CrashLoopBackOff",
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
  std::string created = "Container created";
  std::string started = "Container started";
  if (profile_.container_events_name_container) {
    const char* colon = profile_.created_event_has_colon ? ":" : "";
    created = fmt::format("Created container{} {}", colon, name);
    started = fmt::format("Started container {}", name);
  }
  Event(*worker, spec, "Normal", "Created", created);
  co_await runtime_.StartContainer(uid, name);
  Event(*worker, spec, "Normal", "Started", started);
  worker->waiting.erase(name);
}

}  // namespace ksim::kubelet
