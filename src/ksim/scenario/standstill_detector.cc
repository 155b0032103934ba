#include "ksim/scenario/standstill_detector.h"

#include <algorithm>
#include <utility>

#include "ksim/store/events.h"

namespace ksim::scenario {
namespace {

// Nothing more happens after such a pause: it is longer than expectations and tolerations last
// (5 min), the longest times that a controller waits before it acts.
constexpr Duration kStandstill = Minutes(6);

// Whether the event changes anything that an actor acts on: leases, heartbeats and Events do not,
// and neither do requests that fail for ever.
bool IsChange(const sim::Event& e) {
  switch (e.kind) {
    case sim::EventKind::kStep:
    case sim::EventKind::kFault:
      return true;
    case sim::EventKind::kCommit: {
      const auto& parts = e.payload.As<store::CommitPayload>().parts();
      const bool told = parts && (parts->resource == "leases" || parts->resource == "events");
      return !e.background && !told;
    }
    case sim::EventKind::kHandler:
      return !e.background;
    default:
      return false;
  }
}

}  // namespace

void StandstillDetector::Watch(Duration limit) {
  patience_ = std::max(kStandstill, Duration(limit.ns() / 2));
  last_change_ = last_deed_ = sim_.now();
  sim_.bus().Subscribe(sim::Bus::Stage::kWriter, [this](const sim::Event& e) { OnEvent(e); });
}

void StandstillDetector::OnEvent(const sim::Event& e) {
  if (IsChange(e)) last_change_ = e.time;
  if (e.kind == sim::EventKind::kStep || e.kind == sim::EventKind::kFault) last_deed_ = e.time;
  if (stands_still_) return;
  if (e.time - last_change_ < kStandstill && e.time - last_deed_ < patience_) return;
  if (steps_.HasStepThatWillEnd() || !injector_.only_the_heal_ends()) return;
  stands_still_ = true;
  sim_.RequestStop();
}

bool StandstillDetector::Take() { return std::exchange(stands_still_, false); }

}  // namespace ksim::scenario
