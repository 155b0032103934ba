// Cells that the tables of PersistentVolumes and PersistentVolumeClaims share.
//
// Source: pkg/printers/internalversion/printers.go; pkg/apis/core/helper.
#pragma once
#include <string>

#include "ksim/api/object.h"
#include "ksim/value/value.h"

namespace ksim::api {

// GetAccessModesAsString: "RWO,ROX".
std::string AccessModesText(const value::Value& modes);
std::string StorageClassOf(const Object& o);
// The phase; "Terminating" for an object that is being deleted.
std::string VolumePhase(const Object& o);

}  // namespace ksim::api
