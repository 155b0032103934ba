// Rules of a pod's affinity to nodes and to other pods.
//
// Source: pkg/apis/core/validation/validation.go validateAffinity, ValidateNodeSelectorRequirement,
// validatePodAffinityTerm.
#pragma once
#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// ValidateNodeSelector: the terms that a node must fit.
void ValidateNodeSelector(const value::Value& selector, const FieldPath& path,
                          FieldErrorList* errors);
void ValidateAffinity(const value::Value& affinity, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
