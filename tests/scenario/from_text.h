// Scenarios written in tests.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "ksim/scenario/load.h"

namespace ksim::scenario {

// Loads a file with this text.
inline Loaded LoadText(const std::string& text) {
  LoadOptions options;
  options.read = [&text](const std::string&) -> absl::StatusOr<std::string> { return text; };
  return Load({"test.yaml"}, options);
}

// Loads a scenario with this text under `spec:`, indented by two spaces.
inline Loaded LoadSpec(const std::string& spec) {
  return LoadText("apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: test}\nspec:\n" +
                  spec);
}

// The only scenario of the file; if the file has errors, the test fails and the scenario is empty.
inline Scenario Only(const Loaded& loaded) {
  EXPECT_EQ(Render(loaded.errors, false), "");
  return loaded.scenarios.empty() ? Scenario() : loaded.scenarios[0];
}

// The scenario with this text below `spec:`.
inline Scenario FromSpec(const std::string& spec) { return Only(LoadSpec(spec)); }

}  // namespace ksim::scenario
