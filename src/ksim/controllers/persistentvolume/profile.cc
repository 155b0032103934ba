#include "ksim/controllers/persistentvolume/profile.h"

#include "ksim/api/core/version_table.h"

namespace ksim::controllers {
namespace {

constexpr VolumeProfile MakeVolumes130() {
  VolumeProfile p;
  p.assigns_default_class = true;
  return p;
}

constexpr VolumeProfile MakeVolumes136() {
  VolumeProfile p = MakeVolumes130();
  p.binder_retries = true;
  p.honors_reclaim_policy = true;
  p.finds_deleter_first = true;
  p.knows_local_volumes = false;
  p.volume_attributes_class = true;
  return p;
}

}  // namespace

const VolumeProfile& VolumeProfileOf(api::Compat compat) {
  static constexpr VolumeProfile kProfiles[] = {VolumeProfile(), MakeVolumes130(),
                                                MakeVolumes136()};
  return api::ColumnOf(kProfiles, compat);
}

}  // namespace ksim::controllers
