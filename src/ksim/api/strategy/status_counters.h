// Status counters: the numbers that Go writes into every status, since their fields have no
// omitempty.
#pragma once
#include "ksim/api/kinds.h"
#include "ksim/value/value.h"

namespace ksim::api {

// A status as Go writes its zero value.
value::Value ZeroStatus(const ResourceInfo& kind);

// The tree with a status that has all counters, zero for those that it lacked.
value::Value WithStatusCounters(const ResourceInfo& kind, value::Value tree);

}  // namespace ksim::api
