#include "ksim/scenario/observers/late_writes.h"

#include "ksim/client/core/payloads.h"
#include "ksim/store/events.h"

namespace ksim::scenario {

LateWrites::LateWrites(sim::Bus& bus, sim::ActorId user) : user_(user) {
  const sim::EventKinds read = {sim::EventKind::kResponse, sim::EventKind::kCommit};
  bus.Subscribe(sim::Bus::Stage::kOracle, read, [this](const sim::Event& e) {
    if (e.kind == sim::EventKind::kResponse && e.actor == user_) {
      const auto& response = e.payload.As<client::ResponsePayload>();
      if (response.lost || response.code == 504) given_up_.insert(response.id);
    }
    if (e.kind == sim::EventKind::kCommit && !given_up_.empty())
      any_ = any_ || given_up_.contains(e.payload.As<store::CommitPayload>().request);
  });
}

}  // namespace ksim::scenario
