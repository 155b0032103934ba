// Validation and printing that ReplicaSets, Deployments and ReplicationControllers share.
//
// Sources: pkg/apis/apps/validation/validation.go, pkg/apis/core/validation/validation.go,
// pkg/printers/internalversion/printers.go.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::api {

inline constexpr std::string_view kMoreThanReplicas = "cannot be greater than status.replicas";
inline constexpr std::string_view kMoreThanReady = "cannot be greater than readyReplicas";

// Checks the selector and the template of a ReplicaSet or Deployment. Both word an empty selector
// alike.
void CheckSelectorAndTemplate(const value::Value& spec, const FieldPath& path,
                              FieldErrorList* errors);

// Refuses a change of spec.selector. The strategies of apps/v1 call ValidateImmutableField for it.
void ValidateSelectorStays(const value::Value& updated, const value::Value& old,
                           FieldErrorList* errors);

// Checks the counters in the status of a ReplicaSet or ReplicationController.
void ValidateReplicaCounts(const value::Value& tree, FieldErrorList* errors);

// The row of a ReplicaSet.
std::vector<std::string> ReplicaSetCells(const Object& o, VirtualTime now);

// "2/3": status.readyReplicas and spec.replicas.
std::string ReadyOfReplicas(const Object& o);

}  // namespace ksim::api
