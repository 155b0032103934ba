// Validation that Services and EndpointSlices share.
//
// Source: pkg/apis/core/validation/validation.go.
#pragma once
#include <string_view>

#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// Refuses every protocol but TCP, UDP and SCTP.
void ValidateProtocol(std::string_view protocol, const FieldPath& path, FieldErrorList* errors);

// ValidateNonSpecialIP: refuses addresses that no endpoint can have (unspecified, loopback,
// link-local).
void ValidateNonSpecialIp(std::string_view ip, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
