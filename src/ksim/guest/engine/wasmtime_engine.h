// Wasmtime as an Engine. Compiled code is kept in files, named by the content of the program and
// by what compiled it.
//
// The baseline compiler (Winch) is some three times as fast to compile as the optimizing one
// (Cranelift), whose code is twice as fast: a campaign is worth it, a run is not. Both do the same,
// call by call.
#pragma once
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "ksim/guest/engine/engine.h"

namespace ksim::guest {

enum class Tier : std::uint8_t { kBaseline, kOptimized };

// `cache` is the folder for compiled code, made when needed; "" keeps none. Optimized code that is
// there is taken whatever `tier` says. Errors: those of LoadWasmtime.
absl::StatusOr<std::unique_ptr<Engine>> MakeWasmtimeEngine(Tier tier, std::string cache);

}  // namespace ksim::guest
