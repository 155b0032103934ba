// The warnings about a Service.
//
// Source: pkg/api/service/warnings.go GetWarningsForService; pkg/registry/core/service/strategy.go.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/value/value.h"

namespace ksim::api {

// At a create or an update.
std::vector<std::string> ServiceWarnings(const value::Value& service, Compat compat);
// At an update of /status.
std::vector<std::string> ServiceStatusWarnings(const value::Value& updated, const value::Value& old,
                                               Compat compat);

}  // namespace ksim::api
