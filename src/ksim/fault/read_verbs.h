// The verb `rejectRead`: a get, a list, one page of a list, or the opening of a watch fails.
#pragma once
#include <vector>

#include "ksim/fault/drawn_question.h"
#include "ksim/fault/fault_call.h"

namespace ksim::fault {

// The codes with which an API server refuses a read that it could do.
const std::vector<int>& ReadRejectingCodes();

FaultEffect RejectRead(FaultCall& call);

void DrawRejectRead(DrawnQuestion& question);

}  // namespace ksim::fault
