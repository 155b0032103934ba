#include "ksim/apiserver/core/request_context.h"

namespace ksim::apiserver {

void RequestContext::PassStage(Stage stage, const SharedText& refusal) {
  last_refusal_ = refusal;
  sim::Simulation& sim = process_.simulation();
  const bool read = sim.bus().IsRead(sim::EventKind::kStage);
  sim.EmitAs(
      process_.actor(), request_.event, sim::EventInfo{sim::EventKind::kStage},
      read ? sim::MakePayload<StagePayload>(request_.id, stage, refusal) : sim::PayloadRef());
}

const api::Status& RequestContext::EndStage(Stage stage, const api::Status& status) {
  if (status.ok()) {
    PassStage(stage);
  } else if (last_refusal_ != status.message) {
    PassStage(stage, status.message);
  }
  return status;
}

}  // namespace ksim::apiserver
