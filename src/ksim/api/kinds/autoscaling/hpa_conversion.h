// Conversion of a HorizontalPodAutoscaler between autoscaling/v1 and autoscaling/v2. v1 has the
// target and the current utilization of the CPU in its spec and status; all other metrics,
// conditions and the behavior go into annotations, so that nothing is lost on the way to v1 and
// back.
//
// Sources: pkg/apis/autoscaling/v1/conversion.go; pkg/apis/autoscaling/annotations.go.
#pragma once
#include "ksim/value/value.h"

namespace ksim::api {

// Both take and return whole objects; the result has the apiVersion of its version. An annotation
// that cannot be read is left where it is not wanted (v2 has none of them).
value::Value HpaToV2(const value::Value& v1);
value::Value HpaToV1(const value::Value& v2);

}  // namespace ksim::api
