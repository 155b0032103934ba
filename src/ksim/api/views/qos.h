// The quality of service of a pod, which decides who is evicted first.
//
// Source: pkg/apis/core/v1/helper/qos/qos.go ComputePodQOS. API-117.
#pragma once
#include "ksim/value/value.h"

namespace ksim::api {

// "Guaranteed", "Burstable" or "BestEffort", from the requests and limits of the containers.
const char* ComputeQosClass(const value::Value& pod_spec);

}  // namespace ksim::api
