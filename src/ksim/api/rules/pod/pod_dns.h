// Rules of a pod's name resolution: dnsConfig and hostAliases.
//
// Source: pkg/apis/core/validation/validation.go validatePodDNSConfig, ValidateHostAliases.
#pragma once
#include <string_view>

#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// `policy`: the pod's dnsPolicy.
void ValidateDnsConfig(const value::Value& config, std::string_view policy, const FieldPath& path,
                       FieldErrorList* errors);
void ValidateHostAliases(const value::Value& aliases, const FieldPath& path,
                         FieldErrorList* errors);

}  // namespace ksim::api
