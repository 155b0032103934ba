// Profile: what differs between versions of Kubernetes for the oracles. One function makes all
// profiles, so a new minor version changes this file's source only.
#pragma once
#include "ksim/api/compat.h"

namespace ksim::check {

// The version by which the oracles judge a trace that names none.
inline constexpr api::Compat kNewestCompat = api::Compat::k1_36;

struct Profile {
  api::Compat compat{};  // for what api/ and controllers/ answer by version

  // The queue in front of a cache keeps back a deletion of an object that the cache does not have
  // (client-go tools/cache/delta_fifo.go Delete; a RealFIFO passes it on).
  bool queue_drops_unknown_deletions = false;
  // A list at the newest revision may come from a server's cache (ConsistentListFromCache).
  bool newest_lists_from_cache = false;
};

const Profile& ProfileOf(api::Compat compat);

}  // namespace ksim::check
