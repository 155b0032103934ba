#include "ksim/kubelet/pod_workers/container_starter.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/pod.h"

namespace ksim::kubelet {

using value::Value;

namespace {

// util/format Pod: name_namespace(uid).
std::string FormatPod(const api::Object& pod) {
  return fmt::format("{}_{}({})", pod.name(), pod.ns(), pod.uid());
}

}  // namespace

// An init container that must end and cannot be started holds up all that follow; a sidecar does
// not.
sim::Task<void> ContainerStarter::StartContainers(PodWorker* worker, PodActions actions) {
  for (const PodActions::Start& start : actions.init_containers) {
    const bool sidecar = api::PodView::IsSidecar(start.spec);
    const bool waits = BacksOff(*worker, start);
    if (!waits) co_await StartContainer(worker, start.spec, !sidecar);
    const bool failed = worker->waiting.contains(std::string(start.spec.Get("name").AsString()));
    if (failed && !sidecar) co_return;
  }
  for (const PodActions::Start& start : actions.containers) {
    if (!BacksOff(*worker, start)) co_await StartContainer(worker, start.spec, false);
  }
}

// doBackOff. A container that this sync killed still counted as running when the sync began.
bool ContainerStarter::BacksOff(PodWorker& worker, const PodActions::Start& start) {
  if (!start.ended) return false;
  const VirtualTime now = process_.SteadyNow();
  const std::string name(start.spec.Get("name").AsString());
  const std::string key = worker.uid() + "/" + name;
  const VirtualTime until = restarts_.WaitsUntil(key, start.ended->steadily_finished);
  if (until <= now) {
    restarts_.Next(key, start.ended->steadily_finished, now);
    return false;
  }
  RecordContainerEvent(recorder_, worker, start.spec, "Warning", "BackOff",
                       profile_.backoff_event_names_container
                           ? fmt::format("Back-off restarting failed container {} in pod {}", name,
                                         FormatPod(worker.pod))
                           : "Back-off restarting failed container");
  worker.SetWaiting(start.spec, "CrashLoopBackOff",
                    fmt::format("back-off {} restarting failed container={} pod={}",
                                FormatDuration(restarts_.Get(key)), name, FormatPod(worker.pod)));
  worker.retry_at = worker.retry_at ? std::min(*worker.retry_at, until) : until;
  return true;
}

sim::Task<void> ContainerStarter::StartContainer(PodWorker* worker, Value container, bool init) {
  const std::string uid = worker->uid();
  const std::string name(container.Get("name").AsString());
  const std::string image(container.Get("image").AsString());

  // 1. Pull the image.
  const bool present = co_await images_.EnsureImageExists(worker, container);
  if (!present) co_return;

  // 2. Make its configuration.
  const std::string problem = co_await config_.Problem(worker, container);
  if (!problem.empty()) {
    RecordContainerEvent(recorder_, *worker, container, "Warning", "Failed", "Error: " + problem);
    worker->SetWaiting(container, "CreateContainerConfigError", problem);
    co_return;
  }

  // 3. Create the container.
  co_await runtime_.CreateContainer(uid, name, image, init);
  std::string created = "Container created";
  std::string started = "Container started";
  if (profile_.container_events_name_container) {
    const char* colon = profile_.created_event_has_colon ? ":" : "";
    created = fmt::format("Created container{} {}", colon, name);
    started = fmt::format("Started container {}", name);
  }
  RecordContainerEvent(recorder_, *worker, container, "Normal", "Created", created);

  // 4. Start it.
  co_await runtime_.StartContainer(uid, name);
  RecordContainerEvent(recorder_, *worker, container, "Normal", "Started", started);
  worker->waiting.erase(name);
}

void ContainerStarter::Forget(const std::string& uid) {
  restarts_.Forget(uid);
  images_.Forget(uid);
}

}  // namespace ksim::kubelet
