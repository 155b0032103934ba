// Kinds of subresources: those of bodies that are no object of the resource.
#pragma once
#include <string_view>

#include "ksim/api/kinds.h"

namespace ksim::apiserver {

// The kind that a subresource takes: Scale, Binding or Eviction.
const api::ResourceInfo& SubresourceInfo(std::string_view kind);

// The kind of the objects at a subresource of the resource ("" and "status": the resource's own).
const api::ResourceInfo& KindAt(const api::ResourceInfo& r, std::string_view subresource);

}  // namespace ksim::apiserver
