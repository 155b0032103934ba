// The command of kubectl that a step stands for.
#pragma once
#include "ksim/kubectl/verbs/options.h"
#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

// Not for steps about machines (addNode, removeNode), which are the world's.
kubectl::VerbOptions KubectlOptionsOf(const Step& step);

}  // namespace ksim::scenario
