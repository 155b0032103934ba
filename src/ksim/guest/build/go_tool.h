// GoTool: the user's own `go`, run for a module.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ksim::guest {

// How a build tells what it does, and learns that it shall end.
struct BuildHooks {
  std::function<void(std::string_view)> progress;  // a line for each step, without newline
  std::function<void(std::string_view)> detail;    // how far the step is; many
  std::function<bool()> stop;                      // asked ten times a second
};

struct GoOutput {
  int code = 0;
  std::string out;
  std::vector<std::string> errors;  // the lines of stderr that are no progress
};

class GoTool {
 public:
  // The Go that the module in `directory` is built with: `go` in PATH, or the toolchain that it
  // chooses for the module (GOTOOLCHAIN). `cache` is a directory for files of ours. Errors are
  // sentences for the user: there is no Go, it is too old, no toolchain could be fetched.
  static absl::StatusOr<GoTool> Find(const std::string& directory, const std::string& cache,
                                     BuildHooks hooks);

  // Runs `go WORDS...` in the directory, for GOOS=wasip1 GOARCH=wasm without cgo. Cancelled when
  // the hooks said so. "downloading" lines of stderr go to the hooks.
  absl::StatusOr<GoOutput> Run(const std::vector<std::string>& words) const;
  // The same, where each line of stderr goes to `on_line`.
  absl::StatusOr<GoOutput> Run(const std::vector<std::string>& words,
                               const std::function<void(std::string_view)>& on_line) const;

  const std::string& version() const { return version_; }  // go1.26.8
  const std::string& root() const { return root_; }        // GOROOT
  const std::string& module_cache() const { return module_cache_; }
  const std::string& go_mod() const { return go_mod_; }    // of the directory; "" if it has none
  const std::string& go_work() const { return go_work_; }  // "" if there is none
  // Adds NAME=VALUE to the environment of `go`.
  void Set(std::string entry) { environment_.push_back(std::move(entry)); }

 private:
  std::string program_ = "go";
  std::string directory_;
  BuildHooks hooks_;
  std::vector<std::string> environment_;
  std::string version_, root_, module_cache_, go_mod_, go_work_;
};

// 26 of go1.26.8; -1 if it is not such a version.
int GoMinor(std::string_view version);

// The versions of Go whose files the edits are known to fit.
inline constexpr int kOldestGoMinor = 24, kNewestGoMinor = 26;

}  // namespace ksim::guest
