// The library of Wasmtime, found and loaded once a process. Nothing of it is linked: without it
// ksim does all but run guests, and says what to install.
#pragma once
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/guest/engine/wasmtime_abi.h"

namespace ksim::guest {

// The version that tools/setup --guests brings, and whose shapes wasmtime_abi.h has.
inline constexpr char kWasmtimeVersion[] = "50.0.1";

// Where the library is looked for, in this order: $KSIM_WASMTIME alone if it is set; lib/ksim/ of
// the installation that this program is a part of; $XDG_DATA_HOME/ksim/, by default
// ~/.local/share/ksim/.
std::vector<std::string> WasmtimePlaces();

// The same for the rest of the process. NotFound says what to install; InvalidArgument: a library
// of another kind or version.
absl::StatusOr<const wasmtime::Api*> LoadWasmtime();

}  // namespace ksim::guest
