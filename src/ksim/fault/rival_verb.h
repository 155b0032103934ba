// The verb `rival`: another writer who is always faster, as a second controller or a user's script
// that fights over the same objects.
#pragma once
#include "ksim/fault/drawn_question.h"
#include "ksim/fault/fault_call.h"

namespace ksim::fault {

FaultEffect Rival(FaultCall& call);

void DrawRival(DrawnQuestion& question);

}  // namespace ksim::fault
