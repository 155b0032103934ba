// The warnings that a server sends with a pod that it accepts.
//
// Sources: pkg/api/pod/warnings.go; pkg/registry/core/pod/strategy.go WarningsOnCreate.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The warnings about a new Pod.
std::vector<std::string> PodWarnings(const value::Value& pod, Compat compat);

// The warnings about a template that stands at `path` (spec.template).
std::vector<std::string> PodTemplateWarnings(const value::Value& pod_template,
                                             std::string_view path, Compat compat);

}  // namespace ksim::api
