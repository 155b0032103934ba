// API approval: definitions in Kubernetes' own groups say where their API was approved.
//
// Sources: apiextensions-apiserver pkg/apihelpers/helpers.go, pkg/controller/apiapproval/
// apiapproval_controller.go, pkg/apis/apiextensions/validation/validation.go validateAPIApproval.
#pragma once
#include <optional>

#include "ksim/api/kinds/apiextensions/definition_status.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

// validateAPIApproval: `old` is null for a new definition.
void ValidateApproval(const value::Value& crd, const value::Value* old, FieldErrorList* errors);

// calculateCondition: KubernetesAPIApprovalPolicyConformant; nullopt for other groups.
std::optional<DefinitionCondition> ApprovalCondition(const value::Value& crd);

// The definition with that condition; nullopt if it has it, or needs none.
std::optional<value::Value> WithApproval(const value::Value& crd, VirtualTime now);

}  // namespace ksim::api
