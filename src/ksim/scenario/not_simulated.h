// NotSimulated: whatever a scenario asks for that this run does nothing about: objects and steps
// that need a controller which the run does not have, and objects that have no effect here. Found
// in the scenario alone, before the run, so that `ksim run` and `ksim validate` say the same. A
// NotSimulatedFinder finds the same in what clients outside ask of a served cluster, as it comes.
//
// The registers of objects and of controllers are controllers/kind_effects.h and
// controllers/registry.h. Nothing is said of a controller whose part a sample takes
// (controller_parts.h).
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/base/diagnostic.h"
#include "ksim/controllers/common/controller_info.h"
#include "ksim/scenario/scenario.h"
#include "ksim/value/value.h"

namespace ksim::scenario {

// One thing that is not simulated, at the first place that asks for it.
struct NotSimulated {
  NotSimulated() = default;
  std::string subject;     // "StatefulSet", "step 2 (delete ReplicaSet/r)", "fault 1 (crash ...)"
  std::string controller;  // statefulset-controller, who would act upstream; "" = no controller
  std::string message;
  std::string file;
  Span span;
};

// Whether clients from outside take part. Then what spec.cluster.components takes away is theirs to
// do, and nothing is said of it.
enum class Clients : std::uint8_t { kInside, kOutsideToo };

// In the order of the scenario; each message once. `file`: what the user called the scenario.
std::vector<NotSimulated> NotSimulatedIn(const Scenario& scenario, const std::string& file,
                                         Clients clients = Clients::kInside);

class NotSimulatedFinder {
 public:
  // All three outlive it; `file`: what the user called the scenario. Knows the scenario's objects.
  NotSimulatedFinder(const Scenario& scenario, const api::Kinds& kinds, const std::string& file,
                     Clients clients = Clients::kInside);
  ~NotSimulatedFinder();
  NotSimulatedFinder(const NotSimulatedFinder&) = delete;
  NotSimulatedFinder& operator=(const NotSimulatedFinder&) = delete;

  // Looks at the steps and faults of the scenario.
  void LookAtScenario();
  // Looks at a step that somebody takes. `subject`: who does what.
  void LookAtStep(const Step& step, const std::string& subject);
  // An object is there from now on, or no longer: what others name may be missing.
  void Note(const Manifest& manifest);
  void Forget(const Manifest& manifest);
  // Everything found since the last call; each message once in the finder's life.
  std::vector<NotSimulated> Take();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// [{subject, controller, message, file, line, column}]
value::Value ToTree(const std::vector<NotSimulated>& list);

// As complaints of one line each.
std::vector<Diagnostic> ToDiagnostics(const std::vector<NotSimulated>& list,
                                      Diagnostic::Severity severity);

}  // namespace ksim::scenario
