#include "ksim/controllers/persistentvolume/volume_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "ksim/api/core/go_text.h"
#include "ksim/api/views/volumes.h"
#include "ksim/value/quantity.h"

namespace ksim::controllers {

using value::Path;

namespace {

// GetAccessModesAsString: each mode once, in the order in which all have them.
std::vector<std::string> AccessModesOf(const api::Object& volume) {
  static constexpr std::string_view kOrder[] = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                                "ReadWriteOncePod"};
  std::set<std::string, std::less<>> has;
  for (const value::Value& mode : volume.spec().Get("accessModes").items())
    has.emplace(mode.AsString());
  std::vector<std::string> modes;
  for (const std::string_view mode : kOrder)
    if (has.contains(mode)) modes.emplace_back(mode);
  return modes;
}

// Quantity.Value.
std::int64_t BytesAt(const api::Object& object, const Path& path) {
  const absl::StatusOr<value::Quantity> amount = value::Quantity::FromTree(object.Get(path));
  return amount.ok() ? amount->Value() : 0;
}

}  // namespace

bool ObjectStore::Put(const api::Object& object) {
  api::Object& stored = objects_[object.key()];
  if (!stored.empty() && stored.resource_version() > object.resource_version()) return false;
  stored = object;
  return true;
}

void ObjectStore::Erase(std::string_view key) { objects_.erase(std::string(key)); }

api::Object ObjectStore::Get(std::string_view key) const {
  const auto it = objects_.find(std::string(key));
  return it == objects_.end() ? api::Object() : it->second;
}

api::Object FindBestMatch(const ObjectStore& volumes, const api::Object& claim, bool delays) {
  using Modes = std::pair<std::size_t, std::vector<std::string>>;
  absl::btree_map<Modes, std::vector<api::Object>> by_modes;
  for (const auto& [name, volume] : volumes.all()) {
    if (!api::OffersAccessModes(volume, claim)) continue;
    std::vector<std::string> modes = AccessModesOf(volume);
    const std::size_t count = modes.size();
    by_modes[Modes(count, std::move(modes))].push_back(volume);
  }
  for (const auto& [modes, candidates] : by_modes) {
    api::Object found = api::FindMatchingVolume(claim, candidates, api::Object(), {}, delays);
    if (!found.empty()) return found;
  }
  return api::Object();
}

std::string WhyVolumeIsUnfit(const api::Object& volume, const api::Object& claim) {
  static const Path kRequest{"spec", "resources", "requests", "storage"};
  static const Path kCapacity{"spec", "capacity", "storage"};
  if (volume.deleting())
    return fmt::format("the volume is marked for deletion {}", api::GoQuote(volume.name()));
  if (BytesAt(volume, kCapacity) < BytesAt(claim, kRequest)) return "requested PV is too small";
  if (api::StorageClassNameOf(volume) != api::StorageClassNameOf(claim))
    return "storageClassName does not match";
  if (volume.spec().Get("volumeAttributesClassName").AsString() !=
      claim.spec().Get("volumeAttributesClassName").AsString())
    return "volumeAttributesClassName does not match";
  if (api::DifferInVolumeMode(claim, volume)) return "incompatible volumeMode";
  if (!api::OffersAccessModes(volume, claim)) return "incompatible accessMode";
  return "";
}

}  // namespace ksim::controllers
