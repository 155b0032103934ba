// TriggerTimes: when the change happened that makes a controller write endpoints, for the
// annotation endpoints.kubernetes.io/last-change-trigger-time.
//
// Source: endpointslice util/trigger_time_tracker.go.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

class TriggerTimes {
 public:
  TriggerTimes() = default;
  // Notes the state of the Service and its pods. Returns the earliest of the times that are new
  // since the last call, of a new Service its creation; nothing if none is new.
  std::optional<VirtualTime> Compute(const api::Object& service,
                                     const std::vector<api::Object>& pods);
  void DeleteService(const std::string& service) { services_.erase(service); }

 private:
  struct State {
    State() = default;
    std::optional<VirtualTime> service;
    absl::btree_map<std::string, VirtualTime> pods;  // by name
  };
  absl::btree_map<std::string, State> services_;  // by key
};

// The annotation's value; null of no time.
value::Value TriggerTimeValue(std::optional<VirtualTime> time);

}  // namespace ksim::controllers
