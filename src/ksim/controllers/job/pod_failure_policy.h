// The pod failure policy of a Job: what a failed pod's exit codes and conditions mean for it; and
// its success policy.
//
// Source: pkg/controller/job/pod_failure_policy.go, success_policy.go.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ksim/api/object.h"
#include "ksim/controllers/job/index_intervals.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

struct PodFailureMatch {
  PodFailureMatch() = default;
  std::optional<std::string> fails_job;  // with this message
  bool counts = true;                    // towards the back-off limits
  bool fails_index = false;
};
// matchPodFailurePolicy. `policy` may be null.
PodFailureMatch MatchPodFailurePolicy(const value::Value& policy, const api::Object& pod);

// matchSuccessPolicy: the message of the first rule that is met. `policy` may be null.
std::optional<std::string> MatchSuccessPolicy(const value::Value& policy, std::int64_t completions,
                                              const IndexIntervals& succeeded);

}  // namespace ksim::controllers
