// Rules of the resources that containers ask for, and of quantities elsewhere.
//
// Source: pkg/apis/core/validation/validation.go ValidateContainerResourceRequirements,
// ValidateResourceQuantityValue, validateResizePolicy.
#pragma once
#include <string_view>

#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/pod/pod_facts.h"

namespace ksim::api {

// {limits, requests} of a container.
void ValidateResources(const value::Value& resources, const FieldPath& path,
                       FieldErrorList* errors);

void ValidateQuantity(std::string_view resource, const value::Value& quantity,
                      const FieldPath& path, FieldErrorList* errors);

// resizePolicy of a container; servers without InPlacePodVerticalScaling do not look at it.
void ValidateResizePolicy(const value::Value& policies, const PodFacts& pod, const FieldPath& path,
                          FieldErrorList* errors);

}  // namespace ksim::api
