// Discovery entries: the resources and subresources of a group and version with their verbs, and
// the order of groups and versions, as discovery tells of them.
//
// Sources: apiserver pkg/endpoints/{installer.go,discovery/storageversionhash.go};
// pkg/registry/*/rest (which storages there are); pkg/controlplane/apiserver/aggregator.go
// DefaultGenericAPIServicePriorities; apiextensions-apiserver
// pkg/apiserver/customresource_discovery_controller.go.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/kind_service.h"
#include "ksim/api/kinds.h"

namespace ksim::apiserver::http {

using api::ServedKinds;

// A resource or subresource as discovery tells of it.
struct Entry {
  std::string name;  // pods, pods/status
  std::string singular;
  bool namespaced = true;
  std::string group, version, kind;     // of the body, if they are not the endpoint's: group "" and
                                        // version "" mean that they are
  bool custom = false;                  // a custom resource
  std::vector<std::string_view> verbs;  // sorted, but those of custom resources
  std::vector<std::string> short_names, categories;
  std::string stored;  // storageVersionHash; "": it is not stored under this name
};

// A resource, and behind it its subresources.
using EntryGroup = std::vector<Entry>;

// The resources of one group and version, by name.
std::vector<EntryGroup> EntriesAt(const ServedKinds& served, std::string_view group,
                                  std::string_view version);

// The versions of a group, in the order in which a client should prefer them.
std::vector<std::string> VersionsOf(const ServedKinds& served, std::string_view group);

// The groups but the core one, in the order of /apis.
std::vector<std::string> Groups(const ServedKinds& served);

}  // namespace ksim::apiserver::http
