// Warnings about where a pod may run: node labels, spread constraints, affinity to pods.
//
// Sources: pkg/api/pod/warnings.go, pkg/api/node/util.go GetWarningsForNodeSelector.
#pragma once
#include <string>
#include <string_view>

#include "ksim/api/rules/pod/pod_warning_list.h"
#include "ksim/value/value.h"

namespace ksim::api {

// Deprecated labels in nodeSelector and node affinity, and bad values in preferred terms.
void WarnOfNodeLabels(const value::Value& spec, PodWarningList* warnings);
void WarnOfSpread(const value::Value& spec, PodWarningList* warnings);
// `which`: podAffinity or podAntiAffinity, whose path is `path`.
void WarnOfPodAffinity(const value::Value& spec, value::Atom which, const std::string& path,
                       PodWarningList* warnings);

}  // namespace ksim::api
