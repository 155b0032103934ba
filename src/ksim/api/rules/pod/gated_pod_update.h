// Rules of updates of a pod with scheduling gates, whose nodes may be narrowed down: more
// nodeSelector, more required node affinity.
//
// Source: pkg/apis/core/validation/validation.go ValidatePodUpdate, validateNodeSelectorMutation,
// validateNodeAffinityMutation.
#pragma once
#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// Returns the updated spec with the nodeSelector and node affinity of `old` put back, so that the
// comparison that follows does not refuse them; `spec` itself for a pod without gates.
value::Value TakeSteeringBack(value::Value spec, const value::Value& old, FieldErrorList* errors);

}  // namespace ksim::api
