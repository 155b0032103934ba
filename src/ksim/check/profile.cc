#include "ksim/check/profile.h"

#include "ksim/api/core/version_table.h"

namespace ksim::check {
namespace {

Profile MakeProfile(api::Compat compat) {
  Profile profile;
  profile.compat = compat;
  profile.queue_drops_unknown_deletions = compat < api::Compat::k1_36;
  profile.newest_lists_from_cache = compat >= api::Compat::k1_36;
  return profile;
}

}  // namespace

const Profile& ProfileOf(api::Compat compat) {
  static const Profile profiles[] = {MakeProfile(api::Compat::k1_25),
                                     MakeProfile(api::Compat::k1_30),
                                     MakeProfile(api::Compat::k1_36)};
  return api::ColumnOf(profiles, compat);
}

}  // namespace ksim::check
