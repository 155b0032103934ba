// OwnerPatches: the patches that the garbage collector sends. A kind that takes no strategic merge
// patches gets a merge patch with all its references.
//
// Source: pkg/controller/garbagecollector/patch.go, operations.go removeFinalizer;
// pkg/controller/controller_ref_manager.go GenerateDeleteOwnerRefStrategicMergeBytes.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/controllers/garbagecollector/graph.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// Strategic merge patches.
value::Value DeleteOwnersPatch(const Node& node, const std::vector<std::string>& owner_uids);
value::Value UnblockOwnersPatch(const Node& node);

// Merge patches, for `live` or what a cache has of the object.
value::Value DeleteOwnersMergePatch(const api::Object& live,
                                    const std::vector<std::string>& owner_uids);
value::Value UnblockOwnersMergePatch(const api::Object& live, const Node& node);

// A merge patch that leaves out one finalizer; nullopt if the object does not have it.
std::optional<value::Value> RemoveFinalizerPatch(const api::Object& live,
                                                 std::string_view finalizer);

}  // namespace ksim::controllers
