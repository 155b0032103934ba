// OwnerLookup: what has become of an object's owners. Unless the API server has said before that an
// owner is absent, it is asked.
//
// Source: pkg/controller/garbagecollector/garbagecollector.go isDangling, classifyReferences.
// CTRL-GC-05, CTRL-GC-06.
#pragma once
#include <string>
#include <vector>

#include "ksim/controllers/garbagecollector/absent_owners.h"
#include "ksim/controllers/garbagecollector/discovered_kinds.h"
#include "ksim/controllers/garbagecollector/graph.h"
#include "ksim/controllers/garbagecollector/object_requests.h"
#include "ksim/sim/task.h"

namespace ksim::controllers {

// The uids of owners by what has become of them.
struct ClassifiedOwners {
  ClassifiedOwners() = default;
  Outcome outcome;                   // if it is not good, nothing else counts
  std::vector<std::string> solid;    // there, and not waiting
  std::vector<std::string> absent;   // upstream: dangling
  std::vector<std::string> waiting;  // being deleted once their dependents are
};

class OwnerLookup {
 public:
  OwnerLookup(ObjectRequests& requests, DiscoveredKinds& kinds, AbsentOwners& absent)
      : requests_(requests), kinds_(kinds), absent_(absent) {}

  sim::Task<ClassifiedOwners> Classify(NodePtr item, Owners owners);

 private:
  struct Found;
  sim::Task<Found> Find(NodePtr item, Owner owner);

  ObjectRequests& requests_;
  DiscoveredKinds& kinds_;
  AbsentOwners& absent_;
};

}  // namespace ksim::controllers
