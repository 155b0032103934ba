// Defaults of a PersistentVolumeClaim, which StatefulSets have in their templates too.
//
// Source: pkg/apis/core/v1/defaults.go SetDefaults_PersistentVolumeClaim,
// SetDefaults_PersistentVolumeClaimSpec.
#pragma once
#include "ksim/value/value.h"

namespace ksim::api {

value::Value DefaultClaim(const value::Value& claim);

}  // namespace ksim::api
