// What ReplicaSets, Deployments and ReplicationControllers share in validation and printing.
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

// The selector and the template of a ReplicaSet or Deployment: both word an empty selector alike.
void CheckSelectorAndTemplate(const value::Value& spec, const FieldPath& path,
                              FieldErrorList* errors);

// ValidateImmutableField on spec.selector, which the strategies of apps/v1 add.
void ValidateSelectorStays(const value::Value& updated, const value::Value& old,
                           FieldErrorList* errors);

// The counters in the status of a ReplicaSet or ReplicationController.
void ValidateReplicaCounts(const value::Value& tree, FieldErrorList* errors);

// The row of a ReplicaSet.
std::vector<std::string> ReplicaSetCells(const Object& o, VirtualTime now);

// "2/3": the replicas that are ready of those that are asked for.
std::string ReadyOfReplicas(const Object& o);

}  // namespace ksim::api
