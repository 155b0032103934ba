#include "ksim/controllers/nodelifecycle/zones.h"

#include <algorithm>

#include "ksim/sim/probe.h"

namespace ksim::controllers {
namespace {

constexpr std::int64_t kLargeZone = 50;
constexpr std::int64_t kUnhealthyPercent = 55;

}  // namespace

ZoneState ComputeZoneState(const ZoneCount& zone) {
  if (zone.ready == 0 && zone.not_ready > 0) return ZoneState::kFullDisruption;
  if (zone.not_ready > 2 && 100 * zone.not_ready >= kUnhealthyPercent * zone.size())
    return ZoneState::kPartialDisruption;
  return ZoneState::kNormal;
}

EvictionRate RateOf(ZoneState state, std::int64_t zone_size) {
  if (state != ZoneState::kPartialDisruption) return EvictionRate::kNormal;
  return zone_size > kLargeZone ? EvictionRate::kSecondary : EvictionRate::kNone;
}

void Zones::AddIfNew(const std::string& zone, VirtualTime now) {
  if (!states_.try_emplace(zone, ZoneState::kInitial).second) return;
  queues_[zone] = std::make_unique<TaintQueue>();
  queues_[zone]->SwapLimiter(EvictionRate::kNormal, now);
}

TaintQueue* Zones::FindQueue(const std::string& zone) const {
  const auto it = queues_.find(zone);
  return it == queues_.end() ? nullptr : it->second.get();
}

std::vector<std::string> Zones::WithQueues() const {
  std::vector<std::string> names;
  for (const auto& [name, queue] : queues_) names.push_back(name);
  return names;
}

Zones::Change Zones::TakeIn(const Counts& counts, VirtualTime now) {
  absl::btree_map<std::string, ZoneState> next;
  bool all_are = true;
  for (const auto& [zone, count] : counts) {
    next[zone] = ComputeZoneState(count);
    all_are = all_are && next[zone] == ZoneState::kFullDisruption;
    states_.try_emplace(zone, ZoneState::kInitial);
  }

  // Zones without nodes are forgotten, as far as the look at the others gets: it ends at the first
  // that was not down.
  bool all_were = true;
  for (auto it = states_.begin(); it != states_.end();) {
    if (!counts.contains(it->first)) {
      it = states_.erase(it);
    } else if (it->second != ZoneState::kFullDisruption) {
      all_were = false;
      break;
    } else {
      ++it;
    }
  }
  if (all_are && all_were) return Change::kNone;

  if (all_are && stops_) return Change::kAllDown;
  if (!stops_) {
    if (all_are) KSIM_PROBE("variant/nodelifecycle.fullDisruption");
    all_were = false;
  }

  for (auto& [zone, state] : states_) {
    const auto it = next.find(zone);
    // A zone that kept its place without having nodes keeps its rate, too.
    const ZoneState then = it == next.end() ? ZoneState::kInitial : it->second;
    if (!all_were && state == then) continue;
    SetRate(zone, then, counts, now);
    state = then;
  }
  return all_were ? Change::kBackFromAllDown : Change::kNone;
}

void Zones::StopAll(VirtualTime now) {
  for (auto& [zone, state] : states_) {
    if (TaintQueue* const queue = FindQueue(zone)) queue->SwapLimiter(EvictionRate::kNone, now);
    state = ZoneState::kFullDisruption;
  }
}

void Zones::SetRate(const std::string& zone, ZoneState state, const Counts& counts,
                    VirtualTime now) {
  TaintQueue* const queue = FindQueue(zone);
  const auto count = counts.find(zone);
  if (queue == nullptr || count == counts.end()) return;
  queue->SwapLimiter(RateOf(state, count->second.size()), now);
}

}  // namespace ksim::controllers
