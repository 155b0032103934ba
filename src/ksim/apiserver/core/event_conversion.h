// Conversion of Events, which the API serves as core/v1 and as events.k8s.io/v1 and stores as
// core/v1.
//
// Source: pkg/apis/events/v1/conversion.go.
#pragma once
#include "ksim/api/kinds.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

bool IsEvent(const api::ResourceInfo& r);  // of either group

// Convert an object of the kind to its stored form and back. Objects of kinds other than
// events.k8s.io's Event are returned as they are.
value::Value ToStored(const api::ResourceInfo& r, const value::Value& tree);
value::Value FromStored(const api::ResourceInfo& r, const value::Value& tree);

}  // namespace ksim::apiserver
