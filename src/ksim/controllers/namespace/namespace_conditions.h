// NamespaceConditions: the five conditions in which the namespace controller says how the deletion
// of a namespace goes, gathered over one pass.
//
// Source: pkg/controller/namespace/deletion/status_condition_utils.go namespaceConditionUpdater.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// The objects that a pass left behind.
struct RemainingContent {
  RemainingContent() = default;
  std::map<std::string, std::int64_t> by_resource;   // "RESOURCE.GROUP": "pods."
  std::map<std::string, std::int64_t> by_finalizer;  // how many objects have it
};

class NamespaceConditions {
 public:
  NamespaceConditions() = default;
  // A resource could not be emptied.
  void AddContentError(std::string message) { errors_.push_back(std::move(message)); }
  // Called only by a pass that has looked at all resources: without it nothing counts as left.
  void SetRemaining(const RemainingContent& remaining) { remaining_ = remaining; }
  // `conditions` with the five brought up to date; the same tree if they were.
  value::Value ApplyTo(const value::Value& conditions, VirtualTime now) const;

 private:
  std::vector<std::string> errors_;
  RemainingContent remaining_;
};

}  // namespace ksim::controllers
