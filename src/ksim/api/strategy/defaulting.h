// Defaulting: the values that the API server fills in where a client gave none. A function of the
// tree alone; idempotent; gives the same tree (SameTree) if nothing is missing. What admission
// plugins add (service account, priority, tolerations) is not here.
//
// Sources: pkg/apis/core/v1/defaults.go, pkg/apis/apps/v1/defaults.go,
// pkg/apis/batch/v1/defaults.go and the zz_generated.defaults.go that call them.
#pragma once
#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The object as decoding leaves it. Fields of a wrong type are left alone. Kinds without defaults
// come back as they are.
value::Value ApplyDefaults(const ResourceInfo& kind, const value::Value& tree, Compat compat);

}  // namespace ksim::api
