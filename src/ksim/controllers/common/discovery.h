// Discovery: which kinds the API server serves, as a controller of upstream asks for them. ksim's
// controllers read the cluster's table of kinds instead of asking (docs/fidelity.md): a kind is
// there from the moment at which its CustomResourceDefinition is.
//
// Source: client-go discovery/discovery_client.go ServerPreferredResources,
// ServerPreferredNamespacedResources.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"

namespace ksim::controllers {

// Each resource that holds objects in namespaces, at the version that its group prefers, by group
// and name. All of them can be listed and deleted.
std::vector<const api::ResourceInfo*> PreferredNamespacedResources(const api::Kinds& kinds,
                                                                   api::Compat compat);

// As Go prints a GroupVersionResource: "apps/v1, Resource=replicasets", "/v1, Resource=pods".
std::string GroupVersionResourceText(const api::ResourceInfo& resource);

}  // namespace ksim::controllers
