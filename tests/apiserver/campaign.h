// Campaign: a random workload on two API servers that are restarted, frozen, made to lag,
// re-initialised and compacted away, with reflectors that list, watch, resume and change servers;
// the test compares every event they receive with what was committed.
//
// Each reflector believes to know the state at its resource version. That is checked after every
// event, bookmark and list; so it covers what etcd calls ordered, unique, reliable, resumable and
// bookmarkable at once, over all connections (docs of etcd tests/robustness/validate/watch.go).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/apiserver/store_history.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {

struct CampaignOptions {
  CampaignOptions() = default;
  std::uint64_t seed = 1;
  api::Compat compat = api::Compat::k1_36;
  int steps = 120;
  api::Variants variants;
  // The reflectors take the version of a synthetic ADDED event for one to resume from
  // (kubernetes#74022).
  bool resume_from_synthetic = false;
  // The reflectors stop reading now and then, and writes come in bursts: slow watchers are ended.
  bool stalls = false;
};

// "" or what was seen that cannot be: the first violation of the run.
std::string RunCampaign(const CampaignOptions& options);

}  // namespace ksim::apiserver
