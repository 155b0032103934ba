// What a step does, as a tree.
#pragma once
#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

// What ToTree writes behind the name of a step's kind.
value::Value StepArguments(const Step& step);

}  // namespace ksim::scenario
