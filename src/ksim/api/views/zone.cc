#include "ksim/api/views/zone.h"

#include <string_view>

#include "ksim/value/value.h"

namespace ksim::api {
namespace {

using value::Atom;

std::string_view LabelOr(const value::Value& labels, Atom first, Atom second) {
  const value::Value* const found = labels.Find(first);
  return found != nullptr ? found->AsString() : labels.Get(second).AsString();
}

}  // namespace

std::string ZoneKey(const Object& node) {
  static const Atom kOldZone("failure-domain.beta.kubernetes.io/zone"),
      kZone("topology.kubernetes.io/zone"), kOldRegion("failure-domain.beta.kubernetes.io/region"),
      kRegion("topology.kubernetes.io/region");
  const value::Value& labels = node.labels();
  const std::string_view zone = LabelOr(labels, kOldZone, kZone);
  const std::string_view region = LabelOr(labels, kOldRegion, kRegion);
  if (region.empty() && zone.empty()) return {};
  std::string key(region);
  key.append(":").append(1, '\0').append(":").append(zone);
  return key;
}

}  // namespace ksim::api
