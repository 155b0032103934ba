// The kinds that are always there, in the order in which kubectl prefers them.
#pragma once
#include <vector>

#include "ksim/api/kinds.h"

namespace ksim::api {

std::vector<ResourceInfo> BuiltinKinds();

}  // namespace ksim::api
