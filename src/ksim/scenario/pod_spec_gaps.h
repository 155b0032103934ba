// PodSpecGaps: the fields of a pod's spec that a real cluster would act on and ksim does not:
// claims, hooks, deadlines, and a service account that is not there, for which nobody looks.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/scenario/scenario.h"
#include "ksim/value/value.h"

namespace ksim::scenario {

struct PodSpecGap {
  PodSpecGap() = default;
  std::string field;    // below the spec: volumes[1].persistentVolumeClaim
  std::string subject;  // PersistentVolumeClaim
  std::string message;
};

// The way from an object of the kind to the spec of its pods, "" if it makes none.
std::string_view WayToPodSpec(std::string_view kind);

// KIND/NAMESPACE/NAME of objects that a scenario makes.
using ObjectNames = std::set<std::string>;
std::string ObjectNameOf(std::string_view kind, std::string_view ns, std::string_view name);

// The cluster of the run does these for pods, so that they are no gaps.
struct PodSpecServices {
  PodSpecServices() = default;
  bool refuses_without_account = false;  // a pod whose service account is not there
  std::string_view unbound = {};  // the fate of a claim that nobody binds; "": they are bound
  bool makes_ephemeral_claims = false;
  const std::vector<ImageSpec>* images = nullptr;  // that the scenario describes; null: none
};

// In the order of the list above. `ns`: where the pod will be.
std::vector<PodSpecGap> GapsOfPodSpec(const value::Value& spec, const std::string& ns,
                                      const ObjectNames& objects, const PodSpecServices& services);

}  // namespace ksim::scenario
