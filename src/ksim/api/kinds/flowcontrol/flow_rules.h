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

}  // namespace ksim::api
