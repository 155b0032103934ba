// The status of a CustomResourceDefinition, as the controllers inside of API servers keep it. All
// functions take and give whole objects.
//
// Sources: apiextensions-apiserver pkg/apihelpers/helpers.go, pkg/controller/status/
// naming_controller.go, pkg/controller/establish, pkg/controller/finalizer/crd_finalizer.go,
// pkg/registry/customresourcedefinition/etcd.go.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::api {

inline constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

struct DefinitionCondition {
  std::string_view type, status, reason;
  std::string message;
};
// SetCRDCondition: its time changes with its status alone.
value::Value WithCondition(const value::Value& crd, const DefinitionCondition& condition,
                           VirtualTime now);
// Whether it has that condition already, but for its time.
bool HasCondition(const value::Value& crd, const DefinitionCondition& condition);
bool IsConditionTrue(const value::Value& crd, std::string_view type);

// calculateNamesAndConditions: the definition with the names that it may have beside `all` others;
// nullopt if it has them, or nothing changes.
std::optional<value::Value> WithNames(const value::Value& crd, const std::vector<value::Value>& all,
                                      VirtualTime now);
// Whether its names are accepted and it waits to be established; the definition as it is then.
bool WaitsForEstablishment(const value::Value& crd);
value::Value Established(const value::Value& crd, VirtualTime now);

// The first deletion: marked, with the finalizer that removes its objects.
value::Value MarkedForDeletion(const value::Value& crd, VirtualTime now);
bool WaitsForCleanup(const value::Value& crd);
value::Value WithoutCleanup(const value::Value& crd);

}  // namespace ksim::api
