// ItemsHash: one number for the content of a list or a cache: XXH3-64 over the sorted
// (namespace/name, uid, resource version) of its objects. Equal content = equal hash, whoever
// computes it: `response`, `relist` and `cache` events, and the oracles that compare them.
#pragma once
#include <cstdint>
#include <vector>

#include "ksim/api/object.h"

namespace ksim::client {

std::uint64_t ItemsHash(const std::vector<api::Object>& items);

}  // namespace ksim::client
