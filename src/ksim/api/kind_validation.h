// What single kinds refuse beyond their metadata. `tree` is a whole object; updates get the stored
// one too. validation.cc calls these through a table.
//
// Sources: pkg/apis/apps/validation/validation.go, pkg/apis/batch/validation/validation.go
// (template rules), pkg/apis/core/validation/{validation,events}.go,
// pkg/apis/coordination/validation, pkg/apis/scheduling/validation.
#pragma once
#include "ksim/api/field_errors.h"

namespace ksim::api {

// workload_validation.cc
void ValidateReplicaSetSpec(const value::Value& tree, FieldErrorList* errors);
void ValidateReplicaSetStatus(const value::Value& tree, FieldErrorList* errors);
void ValidateDeploymentSpec(const value::Value& tree, FieldErrorList* errors);
void ValidateDeploymentStatus(const value::Value& tree, FieldErrorList* errors);
void ValidateDaemonSetSpec(const value::Value& tree, FieldErrorList* errors);
void ValidateStatefulSetSpec(const value::Value& tree, FieldErrorList* errors);
void ValidateJobSpec(const value::Value& tree, FieldErrorList* errors);

// object_validation.cc
void ValidateNode(const value::Value& tree, FieldErrorList* errors);
void ValidateNodeUpdate(const value::Value& tree, const value::Value& old, FieldErrorList* errors);
void ValidateNamespace(const value::Value& tree, FieldErrorList* errors);
void ValidateNamespaceStatus(const value::Value& tree, FieldErrorList* errors);
void ValidateLease(const value::Value& tree, FieldErrorList* errors);
void ValidateEvent(const value::Value& tree, FieldErrorList* errors);
void ValidateConfigMap(const value::Value& tree, FieldErrorList* errors);
void ValidateSecret(const value::Value& tree, FieldErrorList* errors);
// ConfigMaps and Secrets with immutable: true.
void ValidateImmutableData(const value::Value& tree, const value::Value& old,
                           FieldErrorList* errors);
void ValidatePriorityClass(const value::Value& tree, FieldErrorList* errors);
void ValidatePriorityClassUpdate(const value::Value& tree, const value::Value& old,
                                 FieldErrorList* errors);

}  // namespace ksim::api
