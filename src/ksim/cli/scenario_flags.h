// Flags that change what a scenario says.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ksim/cli/flags.h"
#include "ksim/cli/program.h"
#include "ksim/scenario/load.h"

namespace ksim::cli {

struct ScenarioFlags {
  std::optional<std::uint64_t> seed;
  std::string compat;  // "": as the scenario says
  std::vector<std::string> set;
  bool strict = false;
  std::string from;
  bool create_namespaces = false;
};

// "" for a version of Kubernetes that ksim knows, else what is wrong with it; for FlagSet's Check.
std::string CompatComplaint(const std::string& value);

void AddScenarioFlags(FlagSet& set, ScenarioFlags& flags);
// --set alone.
void AddSetFlag(FlagSet& set, std::vector<std::string>* values, std::string help);

// `program`: whose scenarios they are.
scenario::LoadOptions LoadOptionsOf(const ScenarioFlags& flags, const Program& program);

}  // namespace ksim::cli
