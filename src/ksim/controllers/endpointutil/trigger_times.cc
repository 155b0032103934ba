#include "ksim/controllers/endpointutil/trigger_times.h"

#include <algorithm>
#include <utility>

#include "ksim/api/conditions.h"
#include "ksim/api/pod.h"
#include "ksim/value/timestamp.h"

namespace ksim::controllers {
namespace {

// The time since when the pod has been ready or unready.
std::optional<VirtualTime> PodTriggerTime(const api::Object& pod) {
  return api::ConditionSince(api::PodView(pod).conditions(), "Ready");
}

}  // namespace

std::optional<VirtualTime> TriggerTimes::Compute(const api::Object& service,
                                                 const std::vector<api::Object>& pods) {
  std::optional<VirtualTime> earliest;
  const auto note = [&earliest](VirtualTime t) { earliest = std::min(earliest.value_or(t), t); };
  const auto [known, is_new] = services_.try_emplace(service.key());
  const State last = known->second;
  State& state = known->second;

  state.pods.clear();
  for (const api::Object& pod : pods) {
    const std::optional<VirtualTime> time = PodTriggerTime(pod);
    if (!time) continue;
    const std::string name(pod.name());
    state.pods[name] = *time;
    const auto before = last.pods.find(name);
    if (before == last.pods.end() || *time > before->second) note(*time);
  }
  state.service = service.creation_time();
  if (is_new) return state.service;
  if (state.service && (!last.service || *state.service > *last.service)) note(*state.service);
  return earliest;
}

value::Value TriggerTimeValue(std::optional<VirtualTime> time) {
  return time ? value::TimestampValue(*time) : value::Value();
}

}  // namespace ksim::controllers
