#include "ksim/controllers/podautoscaler/hpa_status.h"

#include <utility>

#include "ksim/api/conditions.h"
#include "ksim/api/core/timestamps.h"

namespace ksim::controllers {

using value::Value;

HpaStatus::HpaStatus(api::Object hpa, VirtualTime now)
    : hpa_(std::move(hpa)), now_(now), status_(hpa_.status()) {}

void HpaStatus::SetCondition(std::string_view type, bool is_true, std::string_view reason,
                             std::string_view message) {
  status_ =
      status_.Set("conditions",
                  api::UpdateCondition(
                      status_.Get("conditions"),
                      api::MakeCondition(type, is_true ? "True" : "False", reason, message), now_));
}

void HpaStatus::SetReplicas(std::int64_t current, std::int64_t desired, Value metrics,
                            bool rescaled) {
  const Value scaled = rescaled ? api::TimeValue(now_) : status_.Get("lastScaleTime");
  const Value conditions = status_.Get("conditions");
  if (metrics.empty()) metrics = Value();
  value::ObjectBuilder out;
  out.AddIf(!conditions.is_null(), "conditions", conditions);
  out.Add("currentMetrics", std::move(metrics));
  out.AddIf(current != 0, "currentReplicas", Value::Of(current));
  out.Add("desiredReplicas", Value::Of(desired));
  out.AddIf(!scaled.is_null(), "lastScaleTime", scaled);
  status_ = out.Build();
}

api::Object HpaStatus::Written() const {
  return api::Object::FromTree(hpa_.tree().Set("status", status_), hpa_.resource_version());
}

}  // namespace ksim::controllers
