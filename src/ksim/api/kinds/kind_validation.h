// What single kinds refuse beyond their metadata. `tree` is a whole object; updates get the stored
// one too. validation.cc calls these through a table.
//
// Sources: pkg/apis/apps/validation/validation.go, pkg/apis/batch/validation/validation.go
// (template rules), pkg/apis/core/validation/{validation,events}.go,
// pkg/apis/coordination/validation, pkg/apis/scheduling/validation.
#pragma once
#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// workload_validation.cc
void ValidateReplicaSetSpec(const value::Value& tree, FieldErrorList* errors);
void ValidateReplicaSetStatus(const value::Value& tree, FieldErrorList* errors);
void ValidateDeploymentSpec(const value::Value& tree, FieldErrorList* errors);
void ValidateDeploymentStatus(const value::Value& tree, FieldErrorList* errors);
void ValidateReplicationControllerSpec(const value::Value& tree, FieldErrorList* errors);
void ValidateReplicationControllerStatus(const value::Value& tree, FieldErrorList* errors);

// set_validation.cc
void ValidateDaemonSetSpec(const value::Value& tree, FieldErrorList* errors);
void ValidateDaemonSetStatus(const value::Value& tree, FieldErrorList* errors);
void ValidateStatefulSetSpec(const value::Value& tree, FieldErrorList* errors);
// Of a new one: spec.serviceName.
void ValidateServiceName(const value::Value& tree, FieldErrorList* errors);
void ValidateStatefulSetStatus(const value::Value& tree, FieldErrorList* errors);
void ValidateStatefulSetUpdate(const value::Value& tree, const value::Value& old,
                               FieldErrorList* errors);

// job_validation.cc
void ValidateJobSpec(const value::Value& tree, FieldErrorList* errors);
void ValidateJobUpdate(const value::Value& tree, const value::Value& old, FieldErrorList* errors);
void ValidateCronJobSpec(const value::Value& tree, FieldErrorList* errors);
void ValidateCronJobName(const value::Value& tree, FieldErrorList* errors);

// policy_validation.cc
void ValidateDisruptionBudget(const value::Value& tree, FieldErrorList* errors);
void ValidateRole(const value::Value& tree, FieldErrorList* errors);
void ValidateEndpointSlice(const value::Value& tree, FieldErrorList* errors);
void ValidateEndpointSliceUpdate(const value::Value& tree, const value::Value& old,
                                 FieldErrorList* errors);
void ValidateProtocol(std::string_view protocol, const FieldPath& path, FieldErrorList* errors);
void ValidateNonSpecialIp(std::string_view ip, const FieldPath& path, FieldErrorList* errors);

// service_validation.cc
void ValidateService(const value::Value& tree, FieldErrorList* errors);
void ValidateServiceUpdate(const value::Value& tree, const value::Value& old,
                           FieldErrorList* errors);

// event_validation.cc; the first is what both APIs ask for.
void ValidateEvent(const value::Value& tree, FieldErrorList* errors);
void ValidateNewEvent(const value::Value& tree, FieldErrorList* errors);
void ValidateEventUpdate(const value::Value& tree, const value::Value& old, FieldErrorList* errors);

// node_validation.cc
void ValidateNode(const value::Value& tree, FieldErrorList* errors);
void ValidateNodeUpdate(const value::Value& tree, const value::Value& old, FieldErrorList* errors);
void ValidateNamespace(const value::Value& tree, FieldErrorList* errors);
void ValidateNamespaceStatus(const value::Value& tree, FieldErrorList* errors);
void ValidateFinalizedNamespace(const value::Value& tree, FieldErrorList* errors);

// object_validation.cc
void ValidateLease(const value::Value& tree, FieldErrorList* errors);
void ValidateConfigMap(const value::Value& tree, FieldErrorList* errors);
void ValidateSecret(const value::Value& tree, FieldErrorList* errors);
// ConfigMaps and Secrets with immutable: true.
void ValidateImmutableData(const value::Value& tree, const value::Value& old,
                           FieldErrorList* errors);
void ValidatePriorityClass(const value::Value& tree, FieldErrorList* errors);
void ValidatePriorityClassUpdate(const value::Value& tree, const value::Value& old,
                                 FieldErrorList* errors);

}  // namespace ksim::api
