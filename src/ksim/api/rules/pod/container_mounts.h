// Rules of the places where a container has its volumes.
//
// Source: pkg/apis/core/validation/validation.go ValidateVolumeMounts, ValidateVolumeDevices.
#pragma once
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/pod/pod_facts.h"

namespace ksim::api {

// volumeMounts and volumeDevices of one container.
void ValidateMounts(const value::Value& container, const PodFacts& pod, const FieldPath& path,
                    FieldErrorList* errors);

}  // namespace ksim::api
