// The steps rollout, setImage, expose and autoscale.
#pragma once
#include "ksim/scenario/parse.h"

namespace ksim::scenario {

void ParseRolloutStep(ParseContext& context, MappingReader& reader, Step* step);

}  // namespace ksim::scenario
