// What the server itself changes in a pod's spec before it validates it.
//
// Sources: pkg/api/pod/util.go DropDisabledPodFields; pkg/registry/core/pod/strategy.go
// mutatePodAffinity, mutateTopologySpreadConstraints.
#pragma once
#include "ksim/api/compat.h"
#include "ksim/value/value.h"

namespace ksim::api {

// Without the fields whose feature is off in that version.
value::Value DropDisabledPodFields(value::Value pod, Compat compat);

// A new pod whose terms select by its own values of matchLabelKeys, too.
value::Value MergeMatchLabelKeys(value::Value pod, Compat compat);

}  // namespace ksim::api
