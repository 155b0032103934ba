// Rules of a pod's containers: what each must have, and what two may not both have.
//
// Source: pkg/apis/core/validation/validation.go validateContainers, validateInitContainers,
// validateEphemeralContainers, validateContainerCommon.
#pragma once
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/pod/pod_facts.h"

namespace ksim::api {

// `path` is that of the pod's spec.
void ValidateContainers(const PodFacts& pod, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
