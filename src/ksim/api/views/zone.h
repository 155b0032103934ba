// The zone that a node is in, by its labels.
#pragma once
#include <string>

#include "ksim/api/object.h"

namespace ksim::api {

// "REGION:\0:ZONE", by the old labels where a node has them, even empty ones; "" for a node that
// has none. k8s.io/component-helpers node/topology/helpers.go GetZoneKey.
std::string ZoneKey(const Object& node);

}  // namespace ksim::api
