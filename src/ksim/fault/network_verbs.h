// The verbs of nodes and of the way between two processes; the draws of each beside it.
#pragma once
#include "ksim/fault/drawn_question.h"
#include "ksim/fault/fault_call.h"

namespace ksim::fault {

FaultEffect NodeSilent(FaultCall& call);
FaultEffect NodeTrouble(FaultCall& call);
FaultEffect Partition(FaultCall& call);

void DrawNodeSilent(DrawnQuestion& question);
void DrawPartition(DrawnQuestion& question);

}  // namespace ksim::fault
