// HpaStatus: the status of a HorizontalPodAutoscaler as a sync makes it, condition by condition.
//
// Source: pkg/controller/podautoscaler/horizontal.go (setCondition, setStatus,
// updateStatusIfNeeded).
#pragma once
#include <cstdint>
#include <string_view>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

class HpaStatus {
 public:
  HpaStatus(api::Object hpa, VirtualTime now);

  const api::Object& hpa() const { return hpa_; }
  void SetCondition(std::string_view type, bool is_true, std::string_view reason,
                    std::string_view message);
  // Begins the status anew but for its conditions and the time of the last scaling.
  void SetReplicas(std::int64_t current, std::int64_t desired, value::Value metrics, bool rescaled);
  std::int64_t desired() const { return status_.Get("desiredReplicas").AsInt(); }
  const value::Value& metrics() const { return status_.Get("currentMetrics"); }

  bool changed() const { return status_ != hpa_.status(); }
  api::Object Written() const;

 private:
  api::Object hpa_;
  VirtualTime now_;
  value::Value status_;
};

}  // namespace ksim::controllers
