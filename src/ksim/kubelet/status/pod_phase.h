// The phase of a pod: what the statuses of its containers amount to.
//
// Source: pkg/kubelet/kubelet_pods.go getPhase. KUBELET-19.
#pragma once
#include <string_view>

#include "ksim/api/object.h"
#include "ksim/value/value.h"

namespace ksim::kubelet {

// The status of the container of that name in a list of them; null if there is none.
const value::Value& StatusNamed(const value::Value& statuses, const value::Value& name);

// The phase that the container statuses of `status` amount to. `initialized`: other containers than
// init containers have been begun.
std::string_view PhaseOf(const api::Object& pod, const value::Value& status, bool terminal,
                         bool initialized);

}  // namespace ksim::kubelet
