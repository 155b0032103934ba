// The objects of the API that a pod refers to: a mirror pod, which a kubelet makes of a file, may
// refer to none.
//
// Sources: pkg/api/pod/util.go HasAPIObjectReference (1.36), VisitPodSecretNames,
// VisitPodConfigmapNames; plugin/pkg/admission/noderestriction/admission.go admitPodCreate (1.30).
#pragma once
#include <string>

#include "ksim/value/value.h"

namespace ksim::apiserver {

// The first that is found, as a refusal names it: "secrets"; "" if there is none. Up to 1.30 fewer
// volumes are looked at, and claims of resources are not (`all` is false).
std::string ReferenceOfPod(const value::Value& pod, bool all);

}  // namespace ksim::apiserver
