#include "ksim/controllers/endpointslice/topology_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/node.h"
#include "ksim/value/quantity.h"

namespace ksim::controllers {

using value::Obj;
using value::Value;

namespace {

constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
constexpr std::string_view kDisabledReason = "TopologyAwareHintsDisabled";

// Control planes do not count.
bool IsExcluded(const Value& labels) {
  return labels.Has("node-role.kubernetes.io/control-plane") ||
         labels.Has("node-role.kubernetes.io/master");
}

std::int64_t MilliCpuOf(const api::Object& node) {
  const auto cpu = value::Quantity::FromTree(node.status().Get("allocatable").Get("cpu"));
  return cpu.ok() ? cpu->MilliValue() : 0;
}

Value ZoneHint(std::string_view zone) {
  return Obj({{"forZones", value::Arr({Obj({{"name", Value::Of(zone)}})})}});
}

std::string_view ZoneOf(const Value& endpoint) { return endpoint.Get("zone").AsString(); }

std::int64_t CountReady(const std::vector<SliceDraft>& slices) {
  std::int64_t ready = 0;
  for (const SliceDraft& slice : slices)
    ready += std::count_if(slice.endpoints.begin(), slice.endpoints.end(), &IsReadyEndpoint);
  return ready;
}

// getMost: the zone with the greatest number, and the number; "" if none is above 0.
std::pair<std::string, std::int64_t> Most(const absl::btree_map<std::string, std::int64_t>& zones) {
  std::pair<std::string, std::int64_t> most;
  for (const auto& [zone, number] : zones)
    if (number > most.second) most = {zone, number};
  return most;
}

void TakeOne(absl::btree_map<std::string, std::int64_t>* zones, const std::string& zone) {
  if (--(*zones)[zone] == 0) zones->erase(zone);
}

}  // namespace

void RemoveHintsFromSlices(HintedSlices* slices) {
  for (std::vector<SliceDraft>* list : {slices->create, slices->update})
    for (SliceDraft& slice : *list)
      for (Value& endpoint : slice.endpoints) endpoint = endpoint.Erase("hints");
  std::vector<SliceDraft> still_unchanged;
  for (SliceDraft& slice : slices->unchanged) {
    const bool hinted = std::any_of(slice.endpoints.begin(), slice.endpoints.end(),
                                    [](const Value& e) { return !e.Get("hints").is_null(); });
    for (Value& endpoint : slice.endpoints) endpoint = endpoint.Erase("hints");
    (hinted ? *slices->update : still_unchanged).push_back(std::move(slice));
  }
  slices->unchanged = std::move(still_unchanged);
}

void TopologyCache::SetNodes(const std::vector<api::Object>& nodes) {
  cpu_by_zone_.clear();
  total_cpu_ = 0;
  for (const api::Object& node : nodes) {
    if (IsExcluded(node.labels()) || !api::NodeView(node).ready()) continue;
    const std::int64_t cpu = MilliCpuOf(node);
    const std::string zone(node.Label(kZoneLabel));
    // One node of which too little is known is enough.
    if (zone.empty() || cpu == 0) {
      cpu_by_zone_.clear();
      return;
    }
    total_cpu_ += cpu;
    cpu_by_zone_[zone] += cpu;
  }
  if (cpu_by_zone_.size() < 2) cpu_by_zone_.clear();
}

// The least number of endpoints that leaves none with more than 1.2 of its share:
// ceil(endpoints * cpu / total / 1.2).
std::int64_t TopologyCache::MinimumOf(std::int64_t cpu, std::int64_t endpoints) const {
  return (5 * cpu * endpoints + 6 * total_cpu_ - 1) / (6 * total_cpu_);
}

std::optional<TopologyCache::Allocations> TopologyCache::Allocate(std::int64_t endpoints,
                                                                  std::string* why) const {
  const auto zones = static_cast<std::int64_t>(cpu_by_zone_.size());
  const auto counts = [&](std::string_view text) {
    return fmt::format("{} ({} endpoints, {} zones)", text, endpoints, zones);
  };
  if (zones == 0) {
    *why =
        "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
    return std::nullopt;
  }
  if (zones > endpoints) {
    *why = counts("Insufficient number of endpoints");
    return std::nullopt;
  }
  Allocations allocations;
  std::int64_t minimum_of_all = 0;
  for (const auto& [zone, cpu] : cpu_by_zone_) {
    Allocation& allocation = allocations[zone];
    allocation.minimum = MinimumOf(cpu, endpoints);
    allocation.desired = std::max(cpu * endpoints, allocation.minimum * total_cpu_);
    minimum_of_all += allocation.minimum;
    if (minimum_of_all > endpoints) {
      *why = counts(
          "Unable to allocate minimum required endpoints to each zone without exceeding overload "
          "threshold");
      return std::nullopt;
    }
  }
  for (auto& [zone, allocation] : allocations)
    allocation.maximum = allocation.minimum + endpoints - minimum_of_all;
  return allocations;
}

std::vector<TopologyEvent> TopologyCache::Disable(std::string_view why, HintedSlices* slices) {
  RemoveHints(slices->service, slices->address_type);
  RemoveHintsFromSlices(slices);
  return {TopologyEvent("Warning", kDisabledReason,
                        fmt::format("{}, addressType: {}", why, slices->address_type))};
}

// getHintsByZone: the hints of a slice; nothing if it must be written anew, because an endpoint has
// none, or one for a zone that is not there, or a zone would get too many.
std::optional<TopologyCache::Counts> TopologyCache::HintsOf(const SliceDraft& slice,
                                                            const Counts& allocated,
                                                            const Allocations& allocations) {
  Counts hints;
  for (const Value& endpoint : slice.endpoints) {
    if (!IsReadyEndpoint(endpoint)) continue;
    const Value& zones = endpoint.Get("hints").Get("forZones");
    if (zones.empty()) return std::nullopt;
    for (const Value& hint : zones.items()) {
      const std::string zone(hint.Get("name").AsString());
      if (!allocations.contains(zone)) return std::nullopt;
      ++hints[zone];
    }
  }
  for (const auto& [zone, count] : hints) {
    const auto already = allocated.find(zone);
    const std::int64_t before = already == allocated.end() ? 0 : already->second;
    if (count + before > allocations.at(zone).maximum) return std::nullopt;
  }
  return hints;
}

std::vector<TopologyEvent> TopologyCache::AddHints(HintedSlices* slices) {
  // 1. How many endpoints each zone is to have.
  std::string why;
  const std::optional<Allocations> allocations = Allocate(
      CountReady(*slices->create) + CountReady(*slices->update) + CountReady(slices->unchanged),
      &why);
  if (!allocations) return Disable(why, slices);

  // 2. Slices that nobody changes count as they are, unless their hints are wrong.
  Counts allocated;
  std::vector<SliceDraft> still_unchanged;
  for (SliceDraft& slice : slices->unchanged) {
    const std::optional<Counts> hints = HintsOf(slice, allocated, *allocations);
    if (hints)
      for (const auto& [zone, count] : *hints) allocated[zone] += count;
    (hints ? still_unchanged : *slices->update).push_back(std::move(slice));
  }
  slices->unchanged = std::move(still_unchanged);

  // 3. The others are asked from their own zone.
  for (std::vector<SliceDraft>* list : {slices->create, slices->update}) {
    for (SliceDraft& slice : *list) {
      for (Value& endpoint : slice.endpoints) {
        if (!IsReadyEndpoint(endpoint)) continue;
        const std::string zone(ZoneOf(endpoint));
        if (zone.empty())
          return Disable("One or more endpoints do not have a zone specified", slices);
        ++allocated[zone];
        endpoint = endpoint.Set("hints", ZoneHint(zone));
      }
    }
  }

  // 4. Zones that have too many give to those that have too few.
  Counts giving, receiving;
  FindTransfers(*allocations, allocated, &giving, &receiving);
  Redistribute(slices, std::move(giving), std::move(receiving), &allocated);
  if (allocated.empty()) return Disable("No hints allocated for zones", slices);

  endpoints_[slices->service][slices->address_type] = std::move(allocated);
  if (!populated_.insert(slices->service).second) return {};
  return {TopologyEvent(
      "Normal", "TopologyAwareHintsEnabled",
      fmt::format("Topology Aware Hints has been enabled, addressType: {}", slices->address_type))};
}

// getGivingAndReceivingZones. Amounts are in parts of total_cpu_, which makes one endpoint.
void TopologyCache::FindTransfers(const Allocations& allocations, const Counts& allocated,
                                  Counts* giving, Counts* receiving) const {
  Counts surplus, want;
  for (const auto& [zone, allocation] : allocations) {
    const auto found = allocated.find(zone);
    const std::int64_t has = (found == allocated.end() ? 0 : found->second) * total_cpu_;
    if (has > allocation.desired) surplus[zone] = has - allocation.desired;
    if (has < allocation.desired) want[zone] = allocation.desired - has;
  }
  for (;;) {
    const auto [giver, to_give] = Most(surplus);
    const auto [receiver, to_receive] = Most(want);
    if (giver.empty() || receiver.empty()) return;
    if (to_give < total_cpu_ && to_receive < total_cpu_) return;
    if (2 * to_give < total_cpu_ || 2 * to_receive < total_cpu_) return;
    ++(*giving)[giver];
    surplus[giver] -= total_cpu_;
    ++(*receiving)[receiver];
    want[receiver] -= total_cpu_;
  }
}

void TopologyCache::Redistribute(HintedSlices* slices, Counts giving, Counts receiving,
                                 Counts* allocated) {
  for (std::vector<SliceDraft>* list : {slices->create, slices->update}) {
    for (SliceDraft& slice : *list) {
      for (Value& endpoint : slice.endpoints) {
        if (!IsReadyEndpoint(endpoint)) continue;
        if (giving.empty() || receiving.empty()) return;
        const std::string giver(ZoneOf(endpoint));
        if (!giving.contains(giver)) continue;
        const std::string receiver = receiving.begin()->first;
        endpoint = endpoint.Set("hints", ZoneHint(receiver));
        TakeOne(&giving, giver);
        TakeOne(&receiving, receiver);
        ++(*allocated)[receiver];
        --(*allocated)[giver];
      }
    }
  }
}

void TopologyCache::RemoveHints(const std::string& service, const std::string& address_type) {
  const auto it = endpoints_.find(service);
  if (it != endpoints_.end()) {
    it->second.erase(address_type);
    if (it->second.empty()) endpoints_.erase(it);
  }
  populated_.erase(service);
}

bool TopologyCache::IsOverloaded(const Counts& endpoints) const {
  if (endpoints.empty()) return false;
  if (cpu_by_zone_.empty()) return true;
  std::int64_t total = 0;
  for (const auto& [zone, count] : endpoints) total += count;
  return std::any_of(cpu_by_zone_.begin(), cpu_by_zone_.end(), [&](const auto& zone) {
    const auto has = endpoints.find(zone.first);
    return has == endpoints.end() || has->second < MinimumOf(zone.second, total);
  });
}

std::vector<std::string> TopologyCache::OverloadedServices() const {
  std::vector<std::string> overloaded;
  for (const auto& [service, by_type] : endpoints_)
    if (std::any_of(by_type.begin(), by_type.end(),
                    [this](const auto& type) { return IsOverloaded(type.second); }))
      overloaded.push_back(service);
  return overloaded;
}

}  // namespace ksim::controllers
