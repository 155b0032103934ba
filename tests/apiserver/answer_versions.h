// How resource versions relate to those that earlier lines kept, which is the same on every server.
#pragma once
#include <map>
#include <string>

#include "ksim/value/value.h"

namespace ksim::apiserver {

using Kept = std::map<std::string, std::string, std::less<>>;

// For each object of the answer (the body and its items, or the objects of its events) the name
// under which its resource version was kept, "after NAME" (of the newest version before it),
// "before" (all of them) or "" (it has none).
value::Value VersionsIn(const value::Value& answer, const Kept& kept);

}  // namespace ksim::apiserver
