// Conditions: the list of {type, status, lastTransitionTime, reason, message} that most statuses
// carry. A condition's lastTransitionTime moves only when its status does.
//
// Source: pkg/api/v1/pod/util.go GetPodCondition, UpdatePodCondition; the controllers' Set* and
// Remove* helpers work the same way.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The condition of that type in a list of conditions; null pointer if there is none.
const value::Value* FindCondition(const value::Value& conditions, std::string_view type);

// Its status: "True", "False", "Unknown", or "" if there is none.
std::string_view ConditionStatus(const value::Value& conditions, std::string_view type);

// When it last changed its status; nullopt if there is none or it does not say.
std::optional<VirtualTime> ConditionSince(const value::Value& conditions, std::string_view type);

// A condition without lastTransitionTime. Empty reason and message are left out.
value::Value MakeCondition(std::string_view type, std::string_view status,
                           std::string_view reason = {}, std::string_view message = {});

// The list with `condition` put in the place of the one of its type, or at the end. Its
// lastTransitionTime is the old one's if the status is the same, else `now`. Gives the same tree
// if nothing else differs either. `conditions` may be a null Value.
value::Value UpdateCondition(const value::Value& conditions, value::Value condition,
                             VirtualTime now);

// The same for a metav1.Condition, which always has reason and message, and says which generation
// of the object it is about (0: none). apimachinery pkg/api/meta/conditions.go SetStatusCondition.
struct StatusCondition {
  std::string_view type, status, reason, message;
  std::int64_t observed_generation = 0;
};
value::Value SetStatusCondition(const value::Value& conditions, const StatusCondition& condition,
                                VirtualTime now);

// The list without that type; the same tree if there was none.
value::Value RemoveCondition(const value::Value& conditions, std::string_view type);

}  // namespace ksim::api
