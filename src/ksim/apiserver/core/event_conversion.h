// Events have two faces, core/v1 and events.k8s.io/v1, over one stored form, which is core/v1.
//
// Source: pkg/apis/events/v1/conversion.go.
#pragma once
#include "ksim/api/kinds.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

bool IsEvent(const api::ResourceInfo& r);  // of either group

// What is stored of an object of the kind, and back. Kinds other than events.k8s.io's Event come
// back as they are. Each is the inverse of the other.
value::Value ToStored(const api::ResourceInfo& r, const value::Value& tree);
value::Value FromStored(const api::ResourceInfo& r, const value::Value& tree);

}  // namespace ksim::apiserver
