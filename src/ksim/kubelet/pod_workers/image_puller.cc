#include "ksim/kubelet/pod_workers/image_puller.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/rules/pod/image_reference.h"

namespace ksim::kubelet {

using value::Value;

namespace {

// containerd names what it pulls; the texts are the kubelet's.
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

sim::Task<bool> ImagePuller::EnsureImageExists(PodWorker* worker, Value container) {
  const std::string image(container.Get("image").AsString());
  const std::string_view policy = container.Get("imagePullPolicy").AsString();

  // 1. It has a name, is there, and the policy does not ask for a pull.
  const std::string problem = api::ImageNameProblem(image, profile_.image_problem_has_name);
  if (!problem.empty()) {
    const std::string message =
        fmt::format("Failed to apply default image tag \"{}\": {}", image, problem);
    RecordContainerEvent(recorder_, *worker, container, "Warning", "InspectFailed", message);
    ReportNoImage(*worker, container, "InvalidImageName", message);
    co_return false;
  }
  const bool present = runtime_.HasImage(image);
  if (present && policy != "Always") {
    const char* access = profile_.pulled_event_has_access ? " and can be accessed by the pod" : "";
    RecordContainerEvent(
        recorder_, *worker, container, "Normal", "Pulled",
        fmt::format("Container image \"{}\" already present on machine{}", image, access));
    co_return true;
  }

  // 2. The policy forbids the pull, or the last one failed a short while ago.
  if (policy == "Never") {
    const std::string message =
        fmt::format("Container image \"{}\" is not present with pull policy of Never", image);
    RecordContainerEvent(recorder_, *worker, container, "Warning", "ErrImageNeverPull", message);
    ReportNoImage(*worker, container, "ErrImageNeverPull", message);
    co_return false;
  }
  if (BacksOff(*worker, container)) co_return false;

  // 3. The runtime pulls it.
  RecordContainerEvent(recorder_, *worker, container, "Normal", "Pulling",
                       fmt::format("Pulling image \"{}\"", image));
  const std::string name(container.Get("name").AsString());
  const Runtime::Pulled pulled = co_await runtime_.PullImage(worker->uid(), name, image);

  // 4. A failure starts or doubles the back-off.
  if (!pulled.error.empty()) {
    RecordContainerEvent(recorder_, *worker, container, "Warning", "Failed",
                         fmt::format("Failed to pull image \"{}\": {}", image, pulled.error));
    const VirtualTime now = process_.SteadyNow();
    backoff_.Next(PullKey(worker->uid(), image), now, now);
    worker->pull_errors[image] = "ErrImagePull: " + pulled.error;
    ReportNoImage(*worker, container, "ErrImagePull", pulled.error);
    co_return false;
  }
  worker->pull_errors.erase(image);
  RecordContainerEvent(recorder_, *worker, container, "Normal", "Pulled",
                       PulledMessage(image, pulled, profile_));
  co_return true;
}

bool ImagePuller::BacksOff(PodWorker& worker, const Value& container) {
  const std::string image(container.Get("image").AsString());
  const VirtualTime now = process_.SteadyNow();
  if (backoff_.WaitsSinceLast(PullKey(worker.uid(), image), now) <= now) return false;
  std::string message = fmt::format("Back-off pulling image \"{}\"", image);
  RecordContainerEvent(recorder_, worker, container, "Normal", "BackOff", message);
  const auto last = worker.pull_errors.find(image);
  if (profile_.pull_backoff_has_error && last != worker.pull_errors.end())
    message += ": " + last->second;
  ReportNoImage(worker, container, "ImagePullBackOff", std::move(message));
  return true;
}

// The sync fails, and the next one comes no later than the end of the back-off.
void ImagePuller::ReportNoImage(PodWorker& worker, const Value& container, std::string_view reason,
                                std::string message) {
  RecordContainerEvent(recorder_, worker, container, "Warning", "Failed",
                       fmt::format("Error: {}", reason));
  worker.SetWaiting(container, reason, std::move(message));
  const std::string key = PullKey(worker.uid(), std::string(container.Get("image").AsString()));
  if (backoff_.Get(key) == Duration()) return;
  const VirtualTime until = backoff_.WaitsSinceLast(key, process_.SteadyNow());
  worker.pull_at = worker.pull_at ? std::min(*worker.pull_at, until) : until;
}

}  // namespace ksim::kubelet
