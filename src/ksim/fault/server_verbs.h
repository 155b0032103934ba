// The verbs of etcd and of the API servers; the draws of each beside it.
#pragma once
#include "ksim/fault/drawn_question.h"
#include "ksim/fault/fault_call.h"

namespace ksim::fault {

FaultEffect Compact(FaultCall& call);
FaultEffect FreezeCache(FaultCall& call);
FaultEffect ReinitCache(FaultCall& call);
FaultEffect ServerDown(FaultCall& call);

void DrawCompact(DrawnQuestion& question);
void DrawFreezeCache(DrawnQuestion& question);
void DrawReinitCache(DrawnQuestion& question);
void DrawServerDown(DrawnQuestion& question);

}  // namespace ksim::fault
