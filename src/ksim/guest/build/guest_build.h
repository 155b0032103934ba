// BuildGuest: a Go program becomes a guest, a WebAssembly module that ksim can pause, seed and
// connect. The program's module stays untouched.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/base/diagnostic.h"
#include "ksim/guest/build/build_info.h"
#include "ksim/guest/build/go_tool.h"

namespace ksim::guest {

struct BuildRequest {
  // A directory with the program or with a module that has one program; or PACKAGE@VERSION, from
  // the module proxy.
  std::string what;
  std::string output;         // "": the program's name and .wasm, in the current directory
  std::string tags, ldflags;  // for go build, besides ksim's own
  std::string modfile;        // in place of go.mod, from the directory; "": go.mod
  std::string cache;          // a directory for files of ours; by an absolute path
};

struct BuildResult {
  std::string file;  // that was written; "" if none was
  std::uint64_t size = 0;
  BuildInfo info;
  // Errors say why there is no file. A warning comes with one.
  std::vector<Diagnostic> problems;
  bool interrupted = false;  // the hooks said so; nothing was written
};

BuildResult BuildGuest(const BuildRequest& request, const BuildHooks& hooks);

}  // namespace ksim::guest
