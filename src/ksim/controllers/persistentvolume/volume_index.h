// VolumeIndex and ObjectStore: what the volume binder remembers of claims and volumes, its own
// writes included, which its informers may not have taken in yet.
//
// Source: pkg/controller/volume/persistentvolume/index.go, pv_controller_base.go storeObjectUpdate.
#pragma once
#include <string>
#include <string_view>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"

namespace ksim::controllers {

// Objects by their keys. An older version than the one that is there is not taken.
class ObjectStore {
 public:
  // False: the object is older than the one that is there.
  bool Put(const api::Object& object);
  void Erase(std::string_view key);
  api::Object Get(std::string_view key) const;  // empty: not there
  const absl::btree_map<std::string, api::Object>& all() const { return objects_; }

 private:
  absl::btree_map<std::string, api::Object> objects_;
};

// findBestMatchForClaim: the volume for a claim that does not name one: those with the fewest
// access modes first, of these the one that is the claim's or fits best. `delays`: the claim waits
// for a pod. Empty if there is none.
api::Object FindBestMatch(const ObjectStore& volumes, const api::Object& claim, bool delays);

// checkVolumeSatisfyClaim: why the volume that a claim names does not do; "" if it does.
std::string WhyVolumeIsUnfit(const api::Object& volume, const api::Object& claim);

}  // namespace ksim::controllers
