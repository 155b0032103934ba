// Defaults, rules and cells that validating and mutating admission policies and their bindings
// share.
//
// Source: pkg/apis/admissionregistration/v1/defaults.go; pkg/apis/admissionregistration/validation;
// pkg/printers/internalversion/printers.go.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/object.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::api {

value::Value DefaultPolicy(const value::Value& tree, Compat compat);
value::Value DefaultPolicyBinding(const value::Value& tree, Compat compat);

// validateMatchResources, of what is there.
void CheckMatchResources(const value::Value& match, const FieldPath& path, FieldErrorList* errors);
// validateParamKind, likewise.
void CheckParamKind(const value::Value& kind, const FieldPath& path, FieldErrorList* errors);

// The policy that a binding names, its parameter and what it matches.
void CheckPolicyBinding(const value::Value& spec, const FieldPath& path, FieldErrorList* errors);

std::string ParamKindCell(const Object& policy);
std::vector<std::string> PolicyBindingCells(const Object& o, VirtualTime now);

}  // namespace ksim::api
