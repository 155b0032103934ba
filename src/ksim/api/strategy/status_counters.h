// The counters of a status that Go always writes, since their fields have no omitempty.
#pragma once
#include "ksim/api/kinds.h"
#include "ksim/value/value.h"

namespace ksim::api {

// A status as Go writes its zero value.
value::Value ZeroStatus(const ResourceInfo& kind);

// The tree with a status, and in it zeros for the counters that it lacks.
value::Value WithStatusCounters(const ResourceInfo& kind, value::Value tree);

}  // namespace ksim::api
