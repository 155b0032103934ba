// Node selection: spec.nodeSelector and required/preferred node affinity terms against a Node.
//
// Source: component-helpers scheduling/corev1/nodeaffinity/nodeaffinity.go.
#pragma once
#include "ksim/api/object.h"
#include "ksim/value/value.h"

namespace ksim::api {

// A NodeSelectorTerm: matchExpressions over labels and matchFields (metadata.name), all ANDed. A
// term with neither matches nothing.
bool MatchesNodeSelectorTerm(const value::Value& term, const Object& node);

// nodeSelector AND (any of the required terms, if given).
bool MatchesRequiredNodeAffinity(const Object& pod, const Object& node);

// Sum of the weights of the preferred terms that match. An empty preference term counts.
std::int64_t PreferredNodeAffinityScore(const Object& pod, const Object& node);

}  // namespace ksim::api
