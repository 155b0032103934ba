// The parts of a strategy that single kinds add to the common one (strategy.cc).
#pragma once
#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The status that a new object of a kind with a status subresource gets; null for none. `tree` is
// the object as it came: only nodes keep theirs.
value::Value InitialStatus(const ResourceInfo& kind, const value::Value& tree, Compat compat);

// With a status, and the counters of it that are always written: zero where it lacks them.
value::Value WithStatusCounters(const ResourceInfo& kind, value::Value tree);

// After status and generation are set.
value::Value PrepareKindForCreate(const ResourceInfo& kind, value::Value tree, Compat compat);

// Main endpoint, before the generation is looked at.
value::Value PrepareKindForUpdate(const ResourceInfo& kind, const value::Value& old,
                                  value::Value updated);

}  // namespace ksim::api
