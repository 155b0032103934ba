#include "ksim/api/kinds/core/pod_printing.h"

#include <fmt/format.h>

#include "ksim/api/conditions.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/pod.h"
#include "ksim/api/printing/printer_cells.h"

namespace ksim::api {

using value::Value;

namespace {

// How often containers restarted, and when the last one of them had ended.
struct PodRestarts {
  std::int64_t count = 0;
  std::optional<VirtualTime> last;

  void Add(const Value& status) {
    count += status.Get(Fields().restart_count).AsInt();
    const Value& ended = status.Get(Fields().last_state).Get(Fields().terminated);
    const std::optional<VirtualTime> at = TimeOf(ended.Get(Fields().finished_at));
    if (at && (!last || *last < *at)) last = at;
  }
};

// "Signal:9", "ExitCode:1" or the reason.
std::string EndReason(const Value& terminated) {
  const std::string_view reason = terminated.Get(Fields().reason).AsString();
  if (!reason.empty()) return std::string(reason);
  const std::int64_t signal = terminated.Get(Fields().signal).AsInt();
  if (signal != 0) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", terminated.Get(Fields().exit_code).AsInt());
}

// Works out the texts of the row in the order of printPod: init containers, containers, deletion.
class PodRow {
 public:
  explicit PodRow(const PodView& pod) : pod_(pod), total_(pod.containers().size()) {
    reason_ = pod.reason().empty() ? pod.phase() : pod.reason();
    const Value* scheduled = pod.Condition("PodScheduled");
    if (scheduled != nullptr && scheduled->Get(Fields().reason).AsString() == "SchedulingGated") {
      reason_ = "SchedulingGated";
    }
    for (const Value& c : pod.init_containers().items()) {
      if (PodView::IsSidecar(c)) ++total_;
    }
    const bool initializing = InitContainers();
    if (!initializing || ConditionStatus(pod.conditions(), "Initialized") == "True") Containers();
    Deletion();
  }

  std::string Ready() const { return fmt::format("{}/{}", ready_, total_); }
  const std::string& reason() const { return reason_; }
  std::string RestartText(VirtualTime now) const {
    if (restarts_.count == 0 || !restarts_.last) return std::to_string(restarts_.count);
    return fmt::format("{} ({} ago)", restarts_.count, AgeSince(restarts_.last, now));
  }

 private:
  bool IsSidecarNamed(std::string_view name) const {
    for (const Value& c : pod_.init_containers().items()) {
      if (c.Get(Fields().name).AsString() == name) return PodView::IsSidecar(c);
    }
    return false;
  }

  // Returns true at the first init container that is not done, without a look at those after it.
  bool InitContainers() {
    const Value& statuses = pod_.init_container_statuses();
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      const Value& status = statuses.at(i);
      const bool sidecar = IsSidecarNamed(status.Get(Fields().name).AsString());
      restarts_.Add(status);
      if (sidecar) sidecar_restarts_.Add(status);
      const Value& terminated = status.Get(Fields().state).Get(Fields().terminated);
      if (terminated.is_object() && terminated.Get(Fields().exit_code).AsInt() == 0) continue;
      if (sidecar && status.Get(Fields().started).AsBool()) {
        if (status.Get(Fields().ready).AsBool()) ++ready_;
        continue;
      }
      const std::string_view waiting =
          status.Get(Fields().state).Get(Fields().waiting).Get(Fields().reason).AsString();
      if (terminated.is_object()) {
        reason_ = "Init:" + EndReason(terminated);
      } else if (!waiting.empty() && waiting != "PodInitializing") {
        reason_ = fmt::format("Init:{}", waiting);
      } else {
        reason_ = fmt::format("Init:{}/{}", i, pod_.init_containers().size());
      }
      return true;
    }
    return false;
  }

  void Containers() {
    restarts_ = sidecar_restarts_;
    bool running = false;
    std::string error;
    const Value& statuses = pod_.container_statuses();
    for (std::size_t i = statuses.size(); i-- > 0;) {
      const Value& status = statuses.at(i);
      const Value& state = status.Get(Fields().state);
      restarts_.Add(status);
      const std::string_view waiting = state.Get(Fields().waiting).Get(Fields().reason).AsString();
      const Value& terminated = state.Get(Fields().terminated);
      if (!waiting.empty()) {
        reason_ = waiting;
      } else if (terminated.is_object()) {
        reason_ = EndReason(terminated);
        if (terminated.Get(Fields().exit_code).AsInt() != 0) error = reason_;
      } else if (status.Get(Fields().ready).AsBool() && state.Get(Fields().running).is_object()) {
        running = true;
        ++ready_;
      }
    }
    // A container that has completed does not hide the state of the others.
    if (reason_ != "Completed") return;
    if (running && pod_.ready()) {
      reason_ = "Running";
    } else if (!error.empty()) {
      reason_ = error;
    } else if (running) {
      reason_ = "NotReady";
    }
  }

  void Deletion() {
    if (!pod_.object().deleting()) return;
    if (pod_.reason() == "NodeLost") {
      reason_ = "Unknown";
    } else if (!pod_.terminal()) {
      reason_ = "Terminating";
    }
  }

  const PodView& pod_;
  std::string reason_;
  std::size_t ready_ = 0;
  std::size_t total_;
  PodRestarts restarts_;
  PodRestarts sidecar_restarts_;
};

std::string ReadinessGates(const PodView& pod) {
  static const value::Path kGates{"spec", "readinessGates"};
  const Value& gates = pod.object().Get(kGates);
  if (gates.empty()) return "<none>";
  int met = 0;
  for (const Value& gate : gates.items()) {
    const std::string_view type = gate.Get(Fields().condition_type).AsString();
    if (ConditionStatus(pod.conditions(), type) == "True") ++met;
  }
  return fmt::format("{}/{}", met, gates.size());
}

std::string TextOrNone(std::string_view text) {
  return text.empty() ? "<none>" : std::string(text);
}

}  // namespace

std::vector<std::string> PodCells(const Object& object, VirtualTime now) {
  static const value::Path kPodIps{"status", "podIPs"};
  const PodView pod(object);
  const PodRow row(pod);
  std::string_view ip = object.Get(kPodIps).at(0).Get(Fields().ip).AsString();
  if (ip.empty()) ip = pod.pod_ip();
  return {std::string(object.name()),
          row.Ready(),
          row.reason(),
          row.RestartText(now),
          AgeSince(object.creation_time(), now),
          TextOrNone(ip),
          TextOrNone(pod.node_name()),
          TextOrNone(pod.nominated_node_name()),
          ReadinessGates(pod)};
}

}  // namespace ksim::api
