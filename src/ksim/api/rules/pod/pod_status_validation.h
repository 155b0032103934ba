// Rules of updates of a Pod's status: a terminated container stays so unless the restart policy
// starts it again.
//
// Source: pkg/apis/core/validation/validation.go ValidatePodStatusUpdate,
// validatePodConditions, ValidateContainerStateTransition, validatePodIPs, validateHostIPs.
#pragma once
#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

void ValidatePodStatusUpdate(const value::Value& pod, const value::Value& old,
                             FieldErrorList* errors);

}  // namespace ksim::api
