// Inspect: what a guest's file is, from its bytes alone.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/guest/build/build_info.h"
#include "ksim/guest/build/wasm_file.h"
#include "ksim/value/value.h"

namespace ksim::guest {

struct Inspection {
  std::string go;  // go1.26.8; "" if no Go made it
  std::string package;
  GoModule module;
  std::vector<GoModule> libraries;  // those that tell which Kubernetes it speaks
  std::vector<WasmImport> imports;  // these point into the bytes
  WasmMemory memory;
  std::uint64_t size = 0;      // of the file, in bytes
  bool built_by_ksim = false;  // it can be paused: it imports ksim.idle
  bool changed = false;        // since ksim built it
  BuildInfo build;             // its hashes are empty if ksim did not build it
};

// InvalidArgument: the bytes are no WebAssembly module, or one that is no WASI program. The
// sentence goes behind "FILE: error: ".
absl::StatusOr<Inspection> Inspect(std::string_view bytes);

// The remedy for a guest that was not built by ksim, or was changed; "" if all is well.
std::string Complaint(const Inspection& guest);

value::Value ToTree(const Inspection& guest);

}  // namespace ksim::guest
