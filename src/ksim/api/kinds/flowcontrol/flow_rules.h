// Defaults and validation of FlowSchemas and PriorityLevelConfigurations.
//
// Not looked at: that a schema or level with a reserved name has the content which the server
// itself gives it, and the entropy that shuffle sharding needs.
//
// Source: pkg/apis/flowcontrol/v1/defaults.go; pkg/apis/flowcontrol/validation/validation.go.
#pragma once
#include "ksim/api/compat.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

value::Value DefaultFlowSchema(const value::Value& tree, Compat compat);
value::Value DefaultPriorityLevel(const value::Value& tree, Compat compat);

void ValidateFlowSchema(const value::Value& tree, FieldErrorList* errors);
void ValidatePriorityLevel(const value::Value& tree, FieldErrorList* errors);
// The conditions of either: each type once.
void ValidateFlowStatus(const value::Value& tree, FieldErrorList* errors);

// Conversion of both kinds between v1beta3 and v1, in which they are stored. v1beta3 has an
// annotation where a level has no shares, which would else be its default
// (pkg/apis/flowcontrol/v1beta3/conversion.go).
value::Value FlowToV1(const value::Value& beta3);
value::Value FlowToBeta3(const value::Value& v1);

}  // namespace ksim::api
