// The largest body that a request may have.
//
// Source: apiserver pkg/server/config.go MaxRequestBodyBytes, handlers/rest.go limitedReadBody.
#pragma once
#include <cstdint>

#include "ksim/api/request.h"
#include "ksim/api/status.h"

namespace ksim::apiserver {

inline constexpr std::int64_t kMaxBodyBytes = 3 * 1024 * 1024;

// 413 if the JSON of the body would be longer than that. Escapes in strings are not counted.
api::Status CheckBodySize(const api::Request& request);

}  // namespace ksim::apiserver
