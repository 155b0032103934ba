// The verb `slowWebhook`: a webhook answers late, or not at all.
#pragma once
#include "ksim/fault/drawn_question.h"
#include "ksim/fault/fault_call.h"

namespace ksim::fault {

FaultEffect SlowWebhook(FaultCall& call);

void DrawSlowWebhook(DrawnQuestion& question);

}  // namespace ksim::fault
