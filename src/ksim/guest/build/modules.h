// ModuleFiles: the go.mod, or the go.work, that a guest is built with. The user's stay as they are.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ksim/guest/build/go_tool.h"

namespace ksim::guest {

class ModuleFiles {
 public:
  // For the module or workspace that `go` runs in; or, with `modfile`, as go shall name it, and
  // `go_mod`, where we find it, for that module with another go.mod. Copies go to `cache` when one
  // is needed.
  static ModuleFiles OfUser(GoTool* go, const std::string& modfile, std::string go_mod,
                            std::string cache);
  // For a go.mod of ours in `go`'s directory, which go may complete.
  static ModuleFiles OfOurs(GoTool* go);

  // Takes `module` from `directory`.
  absl::Status Replace(std::string_view module, std::string_view directory);
  // The flags that go list and go build need.
  const std::vector<std::string>& flags() const { return flags_; }

 private:
  ModuleFiles(GoTool* go, std::string cache) : go_(go), cache_(std::move(cache)) {}
  absl::Status CopyModule();
  absl::Status CopyWorkspace();

  GoTool* go_;
  std::string cache_;
  std::string given_;  // the file in place of go.mod; "": none
  std::string file_;   // that Replace edits; "": no copy was needed yet
  std::vector<std::string> flags_;
};

// The module that has a package.
struct PackageModule {
  std::string path, version, go_mod;  // go_mod: the path of its file in the module cache
};

// The module of `package` at `version` (a version, latest), as the module proxy has it. NotFound,
// with what go says, if there is none.
absl::StatusOr<PackageModule> FindModule(const GoTool& go, std::string_view package,
                                         std::string_view version);

// A go.mod by which the programs of `module` can be built outside of it. What the module replaces
// by folders of its own, which no proxy has, is taken at the version that it requires; of
// k8s.io/kubernetes, whose staging modules have none, at the one that was released with it.
// FailedPrecondition if there is no such version.
absl::StatusOr<std::string> ProgramModule(const GoTool& go, const PackageModule& module);

}  // namespace ksim::guest
