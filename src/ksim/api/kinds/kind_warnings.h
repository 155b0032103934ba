// What a server remarks about an object that it takes all the same.
//
// Sources: pkg/registry/<group>/<resource>/strategy.go WarningsOnCreate, WarningsOnUpdate.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/value/value.h"

namespace ksim::api {

std::vector<std::string> WarningsOnCreate(const ResourceInfo& kind, const value::Value& tree,
                                          Compat compat);
// Of an update of the main endpoint.
std::vector<std::string> WarningsOnUpdate(const ResourceInfo& kind, const value::Value& tree,
                                          const value::Value& old, Compat compat);

}  // namespace ksim::api
