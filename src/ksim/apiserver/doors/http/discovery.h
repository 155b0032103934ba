// Discovery: what a server serves, as clients ask for it first: /api, /apis, the resources of each
// group and version, all of them at once (aggregated discovery), and /version.
//
// Sources: apiserver pkg/endpoints/discovery/{root.go,group.go,version.go},
// pkg/endpoints/discovery/aggregated, pkg/endpoints/installer.go, pkg/server/routes/version.go.
#pragma once
#include <string_view>

#include "ksim/api/compat.h"
#include "ksim/apiserver/doors/http/discovery_entries.h"
#include "ksim/value/value.h"

namespace ksim::apiserver::http {

value::Value ApiVersions();                            // APIVersions, of /api
value::Value ApiGroupList(const ServedKinds& served);  // APIGroupList, of /apis
// APIGroup, of /apis/GROUP; null if no kind of the group is served.
value::Value ApiGroup(const ServedKinds& served, std::string_view group);
// APIResourceList, of /api/v1 and /apis/GROUP/VERSION; null if nothing is served there.
value::Value ApiResourceList(const ServedKinds& served, std::string_view group,
                             std::string_view version);
// APIGroupDiscoveryList (apidiscovery.k8s.io) of the core group alone, or of all others.
value::Value AggregatedDiscovery(const ServedKinds& served, bool core, std::string_view version);
// The paths that there are, of / (pkg/server/routes/index.go).
value::Value Index(const ServedKinds& served);
// version.Info, of /version.
value::Value VersionInfo(api::Compat compat);

}  // namespace ksim::apiserver::http
