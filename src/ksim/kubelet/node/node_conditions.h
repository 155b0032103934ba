// The conditions of a Node for each trouble and for its end, and the taints that go with them.
//
// Source: pkg/kubelet/nodestatus/setters.go; the taints are those of the node lifecycle controller,
// pkg/controller/nodelifecycle/node_lifecycle_controller.go nodeConditionToTaintKeyStatusMap.
#pragma once
#include <functional>
#include <string_view>

#include "ksim/kubelet/runtime/trouble.h"
#include "ksim/value/value.h"

namespace ksim::kubelet {

// One side of a condition: what it says, and the event that tells of its coming.
struct ConditionText {
  const char* status;
  const char* reason;
  std::string_view message;
  const char* event;
};
struct ConditionTexts {
  Trouble trouble;
  ConditionText well, ill;
  const char* taint;  // node.kubernetes.io/
};
// setters.go, in the order in which the kubelet sets them.
inline constexpr ConditionTexts kNodeConditions[] = {
    {Trouble::kMemory,
     {"False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available",
      "NodeHasSufficientMemory"},
     {"True", "KubeletHasInsufficientMemory", "kubelet has insufficient memory available",
      "NodeHasInsufficientMemory"},
     "memory-pressure"},
    {Trouble::kDisk,
     {"False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure", "NodeHasNoDiskPressure"},
     {"True", "KubeletHasDiskPressure", "kubelet has disk pressure", "NodeHasDiskPressure"},
     "disk-pressure"},
    {Trouble::kPids,
     {"False", "KubeletHasSufficientPID", "kubelet has sufficient PID available",
      "NodeHasSufficientPID"},
     {"True", "KubeletHasInsufficientPID", "kubelet has insufficient PID available",
      "NodeHasInsufficientPID"},
     "pid-pressure"},
    {Trouble::kNetwork,
     {"True", "KubeletReady", "kubelet is posting ready status", "NodeReady"},
     {"False", "KubeletNotReady", kNetworkNotReady, "NodeNotReady"},
     "not-ready"},
};

// The taints with those that a condition asks for, and without those that one took back: that was
// ill in `before` and is well.
value::Value TaintsFor(const value::Value& taints, const value::Value& before,
                       const std::function<bool(Trouble)>& has);

}  // namespace ksim::kubelet
