// The verbs of single requests; the draws of each beside it.
#pragma once
#include "ksim/fault/drawn_question.h"
#include "ksim/fault/fault_call.h"

namespace ksim::fault {

FaultEffect RejectWrite(FaultCall& call);
FaultEffect TimeoutWrite(FaultCall& call);

void DrawRejectWrite(DrawnQuestion& question);
void DrawTimeoutWrite(DrawnQuestion& question);

}  // namespace ksim::fault
