// Names of resources (cpu, requests.memory, example.com/gpu), and who may use which.
//
// Source: pkg/apis/core/validation/validation.go validateResourceName,
// validateContainerResourceName, ValidateResourceQuotaResourceName;
// pkg/apis/core/helper/helpers.go.
#pragma once
#include <string_view>

#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

bool IsHugePagesName(std::string_view name);      // hugepages-2Mi
bool IsStandardQuotaName(std::string_view name);  // without a prefix, as quotas know it
bool MayOvercommit(std::string_view name);        // helper.IsOvercommitAllowed
bool IsCountedInWhole(std::string_view name);     // helper.IsIntegerResourceName

void ValidateResourceName(std::string_view name, const FieldPath& path, FieldErrorList* errors);
void ValidateContainerResourceName(std::string_view name, const FieldPath& path,
                                   FieldErrorList* errors);
void ValidateQuotaResourceName(std::string_view name, const FieldPath& path,
                               FieldErrorList* errors);

}  // namespace ksim::api
