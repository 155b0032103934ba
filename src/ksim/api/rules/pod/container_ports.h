// Rules of the ports of containers, within one container and between those of a pod.
//
// Source: pkg/apis/core/validation/validation.go validateContainerPorts, AccumulateUniqueHostPorts,
// validatePodHostNetworkDeps.
#pragma once
#include <cstddef>

#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/pod/pod_facts.h"

namespace ksim::api {

// The list `ports` of one container.
void ValidateContainerPorts(const value::Value& ports, const FieldPath& path,
                            FieldErrorList* errors);

// No two of the containers `first` to before `last` ask for one host port.
void ValidateHostPorts(const value::Value& containers, std::size_t first, std::size_t last,
                       const FieldPath& path, FieldErrorList* errors);

// A pod in the host's network has its host ports equal to its container ports.
void ValidateHostNetwork(const PodFacts& pod, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
