// From file names to scenarios: reading, telling Scenario files from plain manifests, `--set` and
// `--seed`, and everything that can be wrong before a run begins.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ksim/base/diagnostic.h"
#include "ksim/scenario/parse.h"
#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

struct LoadOptions {
  LoadOptions() = default;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> set;    // path=value; the path is below spec unless it says otherwise
  bool strict = false;             // warnings are errors
  std::string from;                // --from: a file with the initial state; "": none
  bool create_namespaces = false;  // of plain manifests, where nobody makes them
  // Where files that the scenario names are, "" or ending in '/'; by default beside the scenario.
  std::optional<std::string> directory;
  FileReader read;  // default: the file system, files of up to 32 MiB
  // Whose controllers and kinds scenarios may use, and whose scenarios may be named in place of
  // files; null: there is no program. Plain manifests get all its controllers.
  std::shared_ptr<const Registry> program;
};

struct Loaded {
  Loaded() = default;
  std::vector<Scenario> scenarios;
  std::vector<std::string> files;  // of each scenario, as the user named it
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> warnings;
  bool nothing = false;  // no file matched
};

// Each Scenario file is one scenario; plain manifests together are one, on the default cluster.
// Both kinds in one call are an error. A directory means its *.yaml, sorted.
Loaded Load(const std::vector<std::string>& paths, const LoadOptions& options);

// The scenario of a trace's header, as ToTree wrote it. `directory`, `program`: LoadOptions.
Loaded ParseScenarioTree(const value::Value& tree, const std::string& directory = "",
                         std::shared_ptr<const Registry> program = nullptr);
// The directory of a file, as LoadOptions::directory has it.
std::string DirectoryOf(const std::string& path);

// Replaces the place that `path` leads to. Returns what is wrong with the assignment, or "".
std::string ApplySet(value::YamlNode* scenario, const std::string& assignment, int flag);

}  // namespace ksim::scenario
