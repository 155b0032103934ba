// What a server remarks about a pod that it takes all the same.
//
// Sources: pkg/api/pod/warnings.go; pkg/registry/core/pod/strategy.go WarningsOnCreate.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/value/value.h"

namespace ksim::api {

// Of a new Pod.
std::vector<std::string> PodWarnings(const value::Value& pod, Compat compat);

// Of the metadata and spec of a template that is at `path` (spec.template).
std::vector<std::string> PodTemplateWarnings(const value::Value& pod_template,
                                             std::string_view path, Compat compat);

}  // namespace ksim::api
