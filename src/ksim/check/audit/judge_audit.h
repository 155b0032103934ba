// Judges what an audit log shows of the guarantees: requests and answers, and no more. What needs
// caches, watches or the store is not judged, and the verdicts say so.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/check/oracle.h"
#include "ksim/check/verdict.h"

namespace ksim::check {

struct AuditVerdicts {
  AuditVerdicts() = default;
  std::vector<Verdict> verdicts;  // one for each oracle there is, in their order, and hot.loop
  std::string missing;            // what of a log that is cut is not there; "" = nothing
};

// The guarantee that is judged of audit logs alone: it is no oracle of runs and traces.
OracleEntry HotLoopEntry();

// InvalidArgument, "line L column C: what", for what is no audit log.
absl::StatusOr<AuditVerdicts> JudgeAuditLog(std::string_view text);

}  // namespace ksim::check
