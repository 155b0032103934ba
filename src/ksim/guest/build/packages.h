// The packages that a program is built from, as `go list -deps` tells.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/guest/build/go_tool.h"

namespace ksim::guest {

struct GoPackage {
  std::string path, name, directory;
  bool standard = false;
  // Its module: the path that imports name, the version that is used, and where its files are. ""
  // in the standard library.
  std::string module, version, module_directory;
  std::vector<std::string> files;    // that are compiled
  std::vector<std::string> ignored;  // for other systems, or with cgo
  std::vector<std::string> imports;
  std::string error;  // why it cannot be built; ""
  bool Ignores(std::string_view file) const;
};

struct GoPackages {
  std::map<std::string, GoPackage, std::less<>> by_path;
  std::string main;  // the program's package

  const GoPackage* Find(std::string_view path) const;
  // How the program comes to import a package: from the main package to it, the shortest way; only
  // itself if nobody does.
  std::vector<std::string> ChainTo(std::string_view path) const;
};

// All that `package` needs, with `flags` of go list (-modfile, -overlay). Packages that cannot be
// built have an error. InvalidArgument is what go says if it cannot list at all.
absl::StatusOr<GoPackages> ListPackages(const GoTool& go, const std::vector<std::string>& flags,
                                        const std::string& package);

// The import paths of the programs (package main) that `pattern` matches (./...).
absl::StatusOr<std::vector<std::string>> ListPrograms(const GoTool& go,
                                                      const std::vector<std::string>& flags,
                                                      const std::string& pattern);

}  // namespace ksim::guest
