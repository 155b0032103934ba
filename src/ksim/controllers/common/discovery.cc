#include "ksim/controllers/common/discovery.h"

#include <fmt/format.h>

#include "ksim/api/core/kind_service.h"

namespace ksim::controllers {

std::vector<const api::ResourceInfo*> PreferredNamespacedResources(const api::Kinds& kinds,
                                                                   api::Compat compat) {
  std::vector<const api::ResourceInfo*> out;
  for (const api::ResourceInfo* kind : api::ServedKinds(kinds, compat)) {
    if (!kind->namespaced) continue;
    // The versions of a resource stand side by side, the preferred one first.
    const bool seen =
        !out.empty() && out.back()->group == kind->group && out.back()->resource == kind->resource;
    if (!seen) out.push_back(kind);
  }
  return out;
}

std::string GroupVersionResourceText(const api::ResourceInfo& resource) {
  return fmt::format("{}/{}, Resource={}", resource.group, resource.version, resource.resource);
}

}  // namespace ksim::controllers
