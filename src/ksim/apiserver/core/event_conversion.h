// Conversion between the form in which an object is served and the one in which it is stored.
// Events are served as core/v1 and as events.k8s.io/v1 and stored as core/v1; custom resources are
// stored at their kind's storage version; the conversion (strategy None) changes their apiVersion,
// and each version's schema drops what it does not know.
//
// Source: pkg/apis/events/v1/conversion.go; apiextensions-apiserver
// pkg/apiserver/conversion/nop_converter.go.
#pragma once
#include <cstdint>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

bool IsEvent(const api::ResourceInfo& r);  // of either group

// Convert an object of the kind to its stored form and back. An object that needs no conversion is
// returned as it is.
value::Value ToStored(const api::ResourceInfo& r, const value::Value& tree);
value::Value FromStored(const api::ResourceInfo& r, const value::Value& tree);
// The answer to a write: the object as it is read back from the store. A custom kind's
// storage version may have other fields and defaults.
api::Object ReadBack(const api::ResourceInfo& r, api::Object written, std::int64_t revision);

}  // namespace ksim::apiserver
