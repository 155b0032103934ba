// Rules of security contexts and of the namespaces that a pod shares with its host.
//
// Source: pkg/apis/core/validation/validation.go ValidateSecurityContext,
// validatePodSpecSecurityContext, validateSysctls, validateSeccompProfileField,
// ValidateAppArmorProfileField, validateHostUsers.
#pragma once
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/pod/pod_facts.h"

namespace ksim::api {

// A container's context.
void ValidateSecurityContext(const value::Value& context, const PodFacts& pod,
                             const FieldPath& path, FieldErrorList* errors);
void ValidatePodSecurityContext(const value::Value& spec, const FieldPath& path,
                                FieldErrorList* errors);
void ValidateHostUsers(const value::Value& spec, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
