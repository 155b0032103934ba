// Charging: what a request would add to the quotas of its namespace, and whether they allow it.
// Nothing is written here.
//
// Source: apiserver pkg/admission/plugin/resourcequota/controller.go CheckRequest.
#pragma once
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/quota/evaluator.h"
#include "ksim/api/quota/resource_list.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/base/time.h"

namespace ksim::apiserver {

// A quota, and its usage with the requests so far that were allowed.
struct RunningQuota {
  explicit RunningQuota(api::Object q);
  api::Object quota;
  api::ResourceList hard;
  api::ResourceList used;
};
using RunningQuotas = std::vector<RunningQuota>;

// Adds the usage of the request's object to those quotas that count it; changes none of them if one
// is exceeded, or if the object lacks what a quota wants to be told.
api::Status Charge(const Attributes& a, const api::QuotaEvaluator& evaluator, VirtualTime now,
                   bool delta_for_each_quota, RunningQuotas* quotas);

}  // namespace ksim::apiserver
