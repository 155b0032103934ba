// The largest body that a request may have.
//
// Source: apiserver pkg/server/config.go MaxRequestBodyBytes, handlers/rest.go limitedReadBody.
#pragma once
#include <cstdint>

#include "ksim/api/status.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

inline constexpr std::int64_t kMaxBodyBytes = 3 * 1024 * 1024;

// 413 for a body whose JSON would be longer than that; what strings escape is not counted.
api::Status CheckBodySize(const value::Value& body);

}  // namespace ksim::apiserver
