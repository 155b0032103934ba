// Warnings about a pod's containers: fractions of a byte, hidden variables, ports.
//
// Source: pkg/api/pod/warnings.go warningsForPodSpecAndMeta.
#pragma once
#include <string>
#include <string_view>

#include "ksim/api/rules/pod/pod_warning_list.h"
#include "ksim/value/value.h"

namespace ksim::api {

void WarnOfContainers(const value::Value& spec, PodWarningList* warnings);

// `list[resource]`, whose list is at `path`, is a fraction of a byte.
void WarnOfFraction(const value::Value& list, std::string_view resource, const std::string& path,
                    PodWarningList* warnings);

}  // namespace ksim::api
