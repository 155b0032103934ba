// One object as text for people, as `kubectl describe` prints it.
//
// Source: kubectl pkg/describe/describe.go (1.36). A kind without a describer of its own is
// described as custom resources are (genericDescriber).
#pragma once
#include <string>

#include "ksim/api/object.h"
#include "ksim/kubectl/cluster_view.h"

namespace ksim::kubectl {

// The pod template of a revision, as `kubectl rollout history --revision` prints it.
std::string DescribePodTemplate(const value::Value& pod_template);

std::string DescribeObject(const api::Object& object, const ClusterView& cluster, bool show_events);

}  // namespace ksim::kubectl
