// One object as text for people, as `kubectl describe` prints it.
//
// Source: kubectl pkg/describe/describe.go (1.36). A kind without a describer of its own is
// described as custom resources are (genericDescriber).
#pragma once
#include <string>

#include "ksim/api/object.h"
#include "ksim/kubectl/cluster_view.h"

namespace ksim::kubectl {

std::string DescribeObject(const api::Object& object, const ClusterView& cluster, bool show_events);

}  // namespace ksim::kubectl
