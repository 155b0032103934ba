// What Services and EndpointSlices share in validation.
//
// Source: pkg/apis/core/validation/validation.go.
#pragma once
#include <string_view>

#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// TCP, UDP or SCTP.
void ValidateProtocol(std::string_view protocol, const FieldPath& path, FieldErrorList* errors);

// ValidateNonSpecialIP: an address that an endpoint can have.
void ValidateNonSpecialIp(std::string_view ip, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
