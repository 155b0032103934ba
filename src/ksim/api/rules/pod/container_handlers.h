// Rules of a container's probes and lifecycle hooks.
//
// Source: pkg/apis/core/validation/validation.go validateHandler, validateProbe, validateLifecycle.
#pragma once
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/pod/pod_facts.h"

namespace ksim::api {

// lifecycle and the three probes of one container.
void ValidateHandlers(const value::Value& container, const PodFacts& pod, const FieldPath& path,
                      FieldErrorList* errors);

}  // namespace ksim::api
