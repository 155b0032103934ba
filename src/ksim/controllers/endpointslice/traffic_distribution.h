// The hints that spec.trafficDistribution asks for: the zone of an endpoint, and its node.
//
// Sources: endpointslice trafficdist/trafficdist.go; reconciler.go validTrafficDistribution.
#pragma once
#include "ksim/api/object.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/endpointslice/topology_cache.h"

namespace ksim::controllers {

bool AsksForCloseTraffic(const api::Object& service, const Profile& profile);

// Gives each ready endpoint its hints; unchanged slices that lack some become updates.
void AddCloseHints(const api::Object& service, HintedSlices* slices);

}  // namespace ksim::controllers
