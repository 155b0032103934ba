// The arguments of a step, as a tree.
#pragma once
#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

// The tree that ToTree writes behind the name of a step's kind.
value::Value StepArguments(const Step& step);

}  // namespace ksim::scenario
