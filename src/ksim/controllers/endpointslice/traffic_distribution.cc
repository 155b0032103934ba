#include "ksim/controllers/endpointslice/traffic_distribution.h"

#include <string_view>
#include <utility>

namespace ksim::controllers {

using value::Obj;
using value::Value;

namespace {

constexpr std::string_view kPreferSameNode = "PreferSameNode";

std::string_view DistributionOf(const api::Object& service) {
  return service.spec().Get("trafficDistribution").AsString();
}

Value NameList(const Value& name) { return value::Arr({Obj({{"name", name}})}); }

// The hints that the endpoint should have; null of none.
Value HintsFor(const Value& endpoint, bool with_node) {
  const Value& zone = endpoint.Get("zone");
  const Value& node = endpoint.Get("nodeName");
  value::ObjectBuilder hints;
  hints.AddIf(!zone.is_null(), "forZones", NameList(zone));
  hints.AddIf(with_node && !node.is_null(), "forNodes", NameList(node));
  Value built = hints.Build();
  return built.empty() ? Value() : built;
}

// Endpoints that are not ready keep the hints that they have.
bool GiveHints(bool with_node, SliceDraft* slice) {
  bool changed = false;
  for (Value& endpoint : slice->endpoints) {
    if (!IsReadyEndpoint(endpoint)) continue;
    const Value hints = HintsFor(endpoint, with_node);
    if (endpoint.Get("hints") == hints) continue;
    endpoint = hints.is_null() ? endpoint.Erase("hints") : endpoint.Set("hints", hints);
    changed = true;
  }
  return changed;
}

}  // namespace

bool AsksForCloseTraffic(const api::Object& service, const Profile& profile) {
  const std::string_view asked = DistributionOf(service);
  return profile.traffic_distribution &&
         (asked == "PreferClose" || asked == "PreferSameZone" || asked == kPreferSameNode);
}

void AddCloseHints(const api::Object& service, HintedSlices* slices) {
  const bool with_node = DistributionOf(service) == kPreferSameNode;
  for (std::vector<SliceDraft>* list : {slices->create, slices->update})
    for (SliceDraft& slice : *list) GiveHints(with_node, &slice);
  std::vector<SliceDraft> still_unchanged;
  for (SliceDraft& slice : slices->unchanged) {
    const bool changed = GiveHints(with_node, &slice);
    (changed ? *slices->update : still_unchanged).push_back(std::move(slice));
  }
  slices->unchanged = std::move(still_unchanged);
}

}  // namespace ksim::controllers
