// The registry of this program, for its main program and for its tests.
#pragma once
#include "ksim/registry.h"
#include "website_controller.h"

inline ksim::Registry WebsiteRegistry() {
  // Give it another version, and traces of the old one are refused: they would not repeat.
  ksim::Registry registry("website-controller", "1");
  registry.AddKind("example.dev/v1", "Website");
  ksim::ControllerOptions options;
  options.text = "A ReplicaSet for each Website.";
  registry.AddController("website-controller", MakeWebsiteController, options);
  registry.AddScenarios(WEBSITE_SCENARIOS);
  return registry;
}
