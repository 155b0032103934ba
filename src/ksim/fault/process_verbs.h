// The verbs of processes and of their parts; the draws of each beside it.
#pragma once
#include "ksim/fault/drawn_question.h"
#include "ksim/fault/fault_call.h"

namespace ksim::fault {

FaultEffect Restart(FaultCall& call);
FaultEffect Crash(FaultCall& call);
FaultEffect Failover(FaultCall& call);
FaultEffect Connect(FaultCall& call);
FaultEffect Pause(FaultCall& call);
FaultEffect SkewClock(FaultCall& call);

void DrawRestart(DrawnQuestion& question);
void DrawCrash(DrawnQuestion& question);
void DrawFailover(DrawnQuestion& question);
void DrawConnect(DrawnQuestion& question);
void DrawPause(DrawnQuestion& question);
void DrawSkewClock(DrawnQuestion& question);
void DrawClockRate(DrawnQuestion& question);

}  // namespace ksim::fault
