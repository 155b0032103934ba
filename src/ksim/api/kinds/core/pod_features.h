// Pod features: the server changes a pod's spec by its gates before it validates the pod.
//
// Sources: pkg/api/pod/util.go DropDisabledPodFields; pkg/registry/core/pod/strategy.go
// mutatePodAffinity, mutateTopologySpreadConstraints.
#pragma once
#include "ksim/api/compat.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The pod without the fields whose gates are off in that version.
value::Value DropDisabledPodFields(value::Value pod, Compat compat);

// A new pod whose terms select also by its own values of the labels in matchLabelKeys.
value::Value MergeMatchLabelKeys(value::Value pod, Compat compat);

}  // namespace ksim::api
