// The verbs of a client's watches and of the handlers that hang on them; the draws of each beside
// it.
#pragma once
#include "ksim/fault/drawn_question.h"
#include "ksim/fault/fault_call.h"

namespace ksim::fault {

FaultEffect DropWatch(FaultCall& call);
FaultEffect WatchError(FaultCall& call);
FaultEffect DropBookmark(FaultCall& call);
FaultEffect DelayStream(FaultCall& call);
FaultEffect HoldStream(FaultCall& call);
FaultEffect StallHandler(FaultCall& call);
FaultEffect SlowHandler(FaultCall& call);
FaultEffect Expire(FaultCall& call);

void DrawDropWatch(DrawnQuestion& question);
void DrawDropStoreWatch(DrawnQuestion& question);
void DrawWatchError(DrawnQuestion& question);
void DrawDropBookmark(DrawnQuestion& question);
void DrawDelayStream(DrawnQuestion& question);
void DrawHoldStream(DrawnQuestion& question);
void DrawStallHandler(DrawnQuestion& question);
void DrawSlowHandler(DrawnQuestion& question);
void DrawExpire(DrawnQuestion& question);

}  // namespace ksim::fault
