// The built-in kinds as resources, in the order in which kubectl prefers them.
#pragma once
#include <vector>

#include "ksim/api/kinds.h"

namespace ksim::api {

std::vector<ResourceInfo> BuiltinKinds();

}  // namespace ksim::api
