// BuildInfo: how a guest came to be, in a custom section of its file; and what Go itself writes
// into every program.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ksim::guest {

// The custom section that `ksim guest build` puts at the end of a guest, with a BuildInfo as JSON.
inline constexpr std::string_view kBuildSection = "ksim.build";

struct BuildInfo {
  std::string ksim;     // the version that built it
  std::string go;       // go1.26.8
  std::string package;  // the program's
  std::string module, version;
  std::string edits;   // SHA-256 of ksim's edits and additions, in hex
  std::string inputs;  // ... of the Go version, the flags, the modules and the program's own files
  std::string wasm;    // ... of the file before this section
};

std::string ToJson(const BuildInfo& info);
// InvalidArgument if it is no such JSON. Fields that are not there are empty.
absl::StatusOr<BuildInfo> ReadBuildInfo(std::string_view json);

struct GoModule {
  std::string path, version;
};

// The text that Go's linker writes into programs (runtime/debug.BuildInfo), also into those that
// ksim has not built.
struct GoBuildInfo {
  std::string package;
  GoModule module;
  std::vector<GoModule> dependencies;  // as they are used: a replacement in place of the replaced
};

// None if the bytes have no such text.
std::optional<GoBuildInfo> FindGoBuildInfo(std::string_view bytes);

std::string Sha256Hex(std::string_view bytes);

}  // namespace ksim::guest
