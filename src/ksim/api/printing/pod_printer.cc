#include "ksim/api/printing/pod_printer.h"

#include <fmt/format.h>

#include "ksim/api/conditions.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/pod.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

struct Names {
  Atom condition_type{"conditionType"}, exit_code{"exitCode"}, finished{"finishedAt"}, ip{"ip"},
      last_state{"lastState"}, name{"name"}, ready{"ready"}, reason{"reason"},
      restarts{"restartCount"}, running{"running"}, signal{"signal"}, started{"started"},
      state{"state"}, terminated{"terminated"}, waiting{"waiting"};
};
const Names& N() {
  static const Names names;
  return names;
}

// Counts restarts and remembers the last one's end.
struct Restarts {
  std::int64_t count = 0;
  std::optional<VirtualTime> last;

  void Add(const Value& status) {
    count += status.Get(N().restarts).AsInt();
    const Value& ended = status.Get(N().last_state).Get(N().terminated);
    const std::optional<VirtualTime> at = TimeOf(ended.Get(N().finished));
    if (at && (!last || *last < *at)) last = at;
  }
};

// "Signal:9", "ExitCode:1" or the reason.
std::string EndReason(const Value& terminated) {
  const std::string_view reason = terminated.Get(N().reason).AsString();
  if (!reason.empty()) return std::string(reason);
  const std::int64_t signal = terminated.Get(N().signal).AsInt();
  if (signal != 0) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", terminated.Get(N().exit_code).AsInt());
}

// Works out what the row says from the init containers on, in printPod's order.
class PodRow {
 public:
  explicit PodRow(const PodView& pod) : pod_(pod), total_(pod.containers().size()) {
    reason_ = pod.reason().empty() ? pod.phase() : pod.reason();
    const Value* scheduled = pod.Condition("PodScheduled");
    if (scheduled != nullptr && scheduled->Get(N().reason).AsString() == "SchedulingGated") {
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
      if (c.Get(N().name).AsString() == name) return PodView::IsSidecar(c);
    }
    return false;
  }

  // True if one of them is not done: the others after it are not looked at.
  bool InitContainers() {
    const Value& statuses = pod_.init_container_statuses();
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      const Value& status = statuses.at(i);
      const bool sidecar = IsSidecarNamed(status.Get(N().name).AsString());
      restarts_.Add(status);
      if (sidecar) sidecar_restarts_.Add(status);
      const Value& terminated = status.Get(N().state).Get(N().terminated);
      if (terminated.is_object() && terminated.Get(N().exit_code).AsInt() == 0) continue;
      if (sidecar && status.Get(N().started).AsBool()) {
        if (status.Get(N().ready).AsBool()) ++ready_;
        continue;
      }
      const std::string_view waiting =
          status.Get(N().state).Get(N().waiting).Get(N().reason).AsString();
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
      const Value& state = status.Get(N().state);
      restarts_.Add(status);
      const std::string_view waiting = state.Get(N().waiting).Get(N().reason).AsString();
      const Value& terminated = state.Get(N().terminated);
      if (!waiting.empty()) {
        reason_ = waiting;
      } else if (terminated.is_object()) {
        reason_ = EndReason(terminated);
        if (terminated.Get(N().exit_code).AsInt() != 0) error = reason_;
      } else if (status.Get(N().ready).AsBool() && state.Get(N().running).is_object()) {
        running = true;
        ++ready_;
      }
    }
    // One that has ended well does not hide what the others do.
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
  Restarts restarts_;
  Restarts sidecar_restarts_;
};

std::string ReadinessGates(const PodView& pod) {
  static const value::Path kGates{"spec", "readinessGates"};
  const Value& gates = pod.object().Get(kGates);
  if (gates.empty()) return "<none>";
  int met = 0;
  for (const Value& gate : gates.items()) {
    const std::string_view type = gate.Get(N().condition_type).AsString();
    if (ConditionStatus(pod.conditions(), type) == "True") ++met;
  }
  return fmt::format("{}/{}", met, gates.size());
}

std::string OrNone(std::string_view text) { return text.empty() ? "<none>" : std::string(text); }

}  // namespace

std::string AgeSince(std::optional<VirtualTime> then, VirtualTime now) {
  if (!then) return "<unknown>";
  return value::HumanDuration(now - *then);
}

std::vector<std::string> PodCells(const Object& object, VirtualTime now) {
  static const value::Path kPodIps{"status", "podIPs"};
  const PodView pod(object);
  const PodRow row(pod);
  std::string_view ip = object.Get(kPodIps).at(0).Get(N().ip).AsString();
  if (ip.empty()) ip = pod.pod_ip();
  return {std::string(object.name()),
          row.Ready(),
          row.reason(),
          row.RestartText(now),
          AgeSince(object.creation_time(), now),
          OrNone(ip),
          OrNone(pod.node_name()),
          OrNone(pod.nominated_node_name()),
          ReadinessGates(pod)};
}

}  // namespace ksim::api
