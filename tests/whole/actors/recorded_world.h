// Runs cases with ksim's scheduler and ReplicaSet controller. A case is the requests of a user as
// JSON, so that a real cluster without kubelets can run the same (tests/whole/actors/recorded).
//
//   {"case": "cordoned", "steps": [{"verb": "create", ...}, {"settle": 2}]}
//
// A step with a verb is a request (tests/apiserver/asker.h); `settle` is in seconds.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/value/value.h"

namespace ksim {

// The pods, ReplicaSets and Events at the end, a line each, sorted, without times, uids and
// generated letters.
std::vector<std::string> OutcomeOf(const value::Value& a_case, api::Compat compat);

}  // namespace ksim
