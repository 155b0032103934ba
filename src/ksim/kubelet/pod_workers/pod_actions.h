// PodActions: the containers that a sync of a pod has to kill and to start, in their order. They
// follow from the pod's spec, the runtime's state when the sync begins, and the probes.
//
// Init containers run one by one, each when the one before has ended well, or, if that is a
// sidecar, has started: its startup probe has succeeded. The others are looked at when the last
// init container is through. From then on only sidecars are kept running.
//
// Source: kuberuntime_manager.go computePodActions, kuberuntime_container.go
// computeInitContainerActions. KUBELET-09, 10, 17.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ksim/kubelet/runtime/behaviour.h"
#include "ksim/kubelet/status/pod_status.h"

namespace ksim::kubelet {

// The results of a running container's probes. A container whose startup probe has no result yet
// has neither started nor failed.
struct ProbeResults {
  bool started = true;
  std::optional<ProbeType> failed_probe;  // the probe that wants it killed
};
using ProbesOf = std::function<ProbeResults(const Container&)>;

struct PodActions {
  PodActions() = default;
  struct Kill {
    Kill(value::Value s, ProbeType b, std::string m)
        : spec(std::move(s)), by(b), message(std::move(m)) {}
    value::Value spec;
    ProbeType by;
    std::string message;
  };
  struct Start {
    Start(value::Value s, std::optional<Container> e) : spec(std::move(s)), ended(std::move(e)) {}
    value::Value spec;
    std::optional<Container> ended;  // the newest of that name that had, when the sync began
  };
  bool kill_pod = false;  // nothing is left to keep or to start: all that runs is stopped
  std::vector<Kill> kills;
  std::vector<Start> init_containers, containers;
};

// `sandbox` may be null: nothing was ever started.
PodActions ComputePodActions(const api::Object& pod, const PodSandbox* sandbox,
                             const ProbesOf& probes);

}  // namespace ksim::kubelet
