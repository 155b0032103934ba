// Defaulting: the values that the API server fills in where a client gave none. It is a function of
// the tree alone, idempotent, and gives the same tree (SameTree) if nothing is missing. Admission
// plugins add service account, priority and tolerations later.
//
// Sources: pkg/apis/core/v1/defaults.go, pkg/apis/apps/v1/defaults.go,
// pkg/apis/batch/v1/defaults.go and the zz_generated.defaults.go that call them.
#pragma once
#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The object with the defaults of its kind. Leaves alone fields of a wrong type, and objects of
// kinds without defaults.
value::Value ApplyDefaults(const ResourceInfo& kind, const value::Value& tree, Compat compat);

}  // namespace ksim::api
