// CustomResourceDefinition: what one must say, and the status of one that is accepted.
//
// Sources: apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go,
// pkg/controller/status/naming_controller.go, pkg/controller/establish.
#pragma once
#include "ksim/api/kinds.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

bool IsDefinition(const ResourceInfo& kind);

// SetDefaults_CustomResourceDefinitionSpec.
value::Value DefaultDefinition(const value::Value& tree, Compat compat);

// metadata.name says what is defined.
void ValidateDefinitionName(const value::Value& tree, FieldErrorList* errors);
void ValidateDefinition(const value::Value& tree, FieldErrorList* errors);
// Scope, group and names stay, once and for all.
void DefinitionStays(const value::Value& updated, const value::Value& old, FieldErrorList* errors);

// The status of a definition whose names are free: NamesAccepted and Established at its creation.
value::Value EstablishedStatus(const value::Value& tree);

}  // namespace ksim::api
