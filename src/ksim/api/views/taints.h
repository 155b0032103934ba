// Taints and tolerations, as the scheduler, the kubelet and the taint controllers read them.
//
// Source: component-helpers scheduling/corev1/helpers.go, k8s.io/api core/v1/toleration.go.
#pragma once
#include <string_view>
#include <vector>

#include "ksim/value/value.h"

namespace ksim::api {

// An empty key tolerates every key (with operator Exists), an empty effect every effect, an empty
// operator is Equal.
bool Tolerates(const value::Value& toleration, const value::Value& taint);
bool TolerationsTolerate(const value::Value& tolerations, const value::Value& taint);

// The first taint with one of the effects that no toleration covers; null if there is none.
const value::Value* FirstUntolerated(const value::Value& taints, const value::Value& tolerations,
                                     const std::vector<std::string_view>& effects);

}  // namespace ksim::api
