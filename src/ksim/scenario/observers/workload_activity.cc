#include "ksim/scenario/observers/workload_activity.h"

#include <algorithm>
#include <string_view>

#include "ksim/store/events.h"
#include "ksim/store/object_key.h"

namespace ksim::scenario {
namespace {

bool WrittenInAnyCase(const store::ObjectParts& parts) {
  static constexpr std::string_view kResources[] = {"nodes", "leases", "events", "serviceaccounts"};
  return parts.name == "kube-root-ca.crt" || std::find(std::begin(kResources), std::end(kResources),
                                                       parts.resource) != std::end(kResources);
}

}  // namespace

WorkloadActivity::WorkloadActivity(sim::Bus& bus, sim::ActorId user) : user_(user) {
  bus.Subscribe(sim::Bus::Stage::kOracle, {sim::EventKind::kCommit},
                [this](const sim::Event& e) { OnCommit(e); });
}

void WorkloadActivity::OnCommit(const sim::Event& e) {
  if (any_) return;
  const auto& commit = e.payload.As<store::CommitPayload>();
  if (commit.by == user_) {
    user_wrote_ = true;
    return;
  }
  const std::optional<store::ObjectParts>& parts = commit.parts();
  any_ = user_wrote_ && parts && !WrittenInAnyCase(*parts);
}

}  // namespace ksim::scenario
