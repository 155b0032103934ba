// PodWorkers: the image of a container that is to be started.
//
// Source: pkg/kubelet/images/image_manager.go EnsureImageExists, pullImage;
// kuberuntime_container.go startContainer. KUBELET-13.
#include <fmt/format.h>

#include <algorithm>

#include "ksim/kubelet/pod_workers/pod_worker.h"

namespace ksim::kubelet {

using value::Value;

namespace {

// containerd names what it pulls; the texts are kubelet's.
std::string PulledMessage(const std::string& image, const Runtime::Pulled& pulled,
                          const Profile& profile) {
  if (!profile.pulled_event_has_size) {
    return fmt::format("Successfully pulled image \"{}\" in {} ({} including waiting)", image,
                       FormatDuration(pulled.took), FormatDuration(pulled.waited));
  }
  const std::string took = FormatDuration(Milliseconds(pulled.took.ns() / 1'000'000));
  const std::string waited = FormatDuration(Milliseconds(pulled.waited.ns() / 1'000'000));
  return fmt::format(
      "Successfully pulled image \"{}\" in {} ({} including waiting). Image size: {} bytes.", image,
      took, waited, pulled.bytes);
}

std::string PullKey(const std::string& uid, const std::string& image) { return uid + "_" + image; }

}  // namespace

sim::Task<bool> PodWorkers::EnsureImage(Worker* worker, Value spec) {
  const std::string image(spec.Get("image").AsString());
  const std::string_view policy = spec.Get("imagePullPolicy").AsString();
  const bool present = runtime_.HasImage(image);
  if (present && policy != "Always") {
    const char* more = profile_.pulled_event_has_access ? " and can be accessed by the pod" : "";
    Event(*worker, spec, "Normal", "Pulled",
          fmt::format("Container image \"{}\" already present on machine{}", image, more));
    co_return true;
  }
  if (policy == "Never") {
    const std::string message =
        fmt::format("Container image \"{}\" is not present with pull policy of Never", image);
    Event(*worker, spec, "Warning", "ErrImageNeverPull", message);
    NoImage(*worker, spec, "ErrImageNeverPull", message);
    co_return false;
  }
  if (PullBacksOff(*worker, spec)) co_return false;
  Event(*worker, spec, "Normal", "Pulling", fmt::format("Pulling image \"{}\"", image));
  const std::string name(spec.Get("name").AsString());
  const Runtime::Pulled pulled = co_await runtime_.PullImage(worker->uid(), name, image);
  if (!pulled.error.empty()) {
    Event(*worker, spec, "Warning", "Failed",
          fmt::format("Failed to pull image \"{}\": {}", image, pulled.error));
    const VirtualTime now = process_.SteadyNow();
    pulls_.Next(PullKey(worker->uid(), image), now, now);
    worker->pull_errors[image] = "ErrImagePull: " + pulled.error;
    NoImage(*worker, spec, "ErrImagePull", pulled.error);
    co_return false;
  }
  worker->pull_errors.erase(image);
  Event(*worker, spec, "Normal", "Pulled", PulledMessage(image, pulled, profile_));
  co_return true;
}

// 1.36 says in the status what the last pull failed with, too.
bool PodWorkers::PullBacksOff(Worker& worker, const Value& spec) {
  const std::string image(spec.Get("image").AsString());
  const VirtualTime now = process_.SteadyNow();
  if (pulls_.WaitsSinceLast(PullKey(worker.uid(), image), now) <= now) return false;
  std::string message = fmt::format("Back-off pulling image \"{}\"", image);
  Event(worker, spec, "Normal", "BackOff", message);
  const auto last = worker.pull_errors.find(image);
  if (profile_.pull_backoff_has_error && last != worker.pull_errors.end())
    message += ": " + last->second;
  NoImage(worker, spec, "ImagePullBackOff", std::move(message));
  return true;
}

void PodWorkers::NoImage(Worker& worker, const Value& spec, std::string_view reason,
                         std::string message) {
  Event(worker, spec, "Warning", "Failed", fmt::format("Error: {}", reason));
  Failed(worker, spec, reason, std::move(message));
  const std::string key = PullKey(worker.uid(), std::string(spec.Get("image").AsString()));
  if (pulls_.Get(key) == Duration()) return;
  const VirtualTime until = pulls_.WaitsSinceLast(key, process_.SteadyNow());
  worker.pull_at = worker.pull_at ? std::min(*worker.pull_at, until) : until;
}

}  // namespace ksim::kubelet
