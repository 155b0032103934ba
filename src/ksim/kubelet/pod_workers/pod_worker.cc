#include "ksim/kubelet/pod_workers/pod_worker.h"

#include <utility>

namespace ksim::kubelet {

void PodWorker::SetWaiting(const value::Value& container, std::string_view reason,
                           std::string message) {
  WaitingReason& why = waiting[std::string(container.Get("name").AsString())];
  why.reason = std::string(reason);
  why.message = std::move(message);
  failed = true;
}

void RecordContainerEvent(client::EventRecorder& recorder, const PodWorker& worker,
                          const value::Value& container, std::string_view type,
                          std::string_view reason, std::string_view message) {
  recorder.Event(worker.pod, type, reason, message, {},
                 ContainerFieldPath(worker.pod, container.Get("name").AsString()));
}

}  // namespace ksim::kubelet
