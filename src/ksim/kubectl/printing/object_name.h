// Names of objects as kubectl writes them.
#pragma once
#include <string>
#include <string_view>

#include "ksim/api/kinds.h"

namespace ksim::kubectl {

// "replicaset.apps/my-replicaset", "pod/web"
std::string SlashedName(const api::ResourceInfo& info, std::string_view name);

}  // namespace ksim::kubectl
