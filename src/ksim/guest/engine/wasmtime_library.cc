#include "ksim/guest/engine/wasmtime_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <optional>

#include "absl/status/status.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"

namespace ksim::guest {
namespace {

absl::StatusOr<const wasmtime::Api*> LoadFrom(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return absl::InvalidArgumentError(fmt::format("{} cannot be loaded: {}", path, dlerror()));
  static wasmtime::Api api;  // NOLINT(ksim-static): pointers into a library that is never unloaded
  const char* missing = nullptr;
#define KSIM_WASMTIME_LOOK_UP(name, result, arguments)                    \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, #name)); \
  if (api.name == nullptr && missing == nullptr) missing = #name;
  KSIM_WASMTIME_FUNCTIONS(KSIM_WASMTIME_LOOK_UP)
#undef KSIM_WASMTIME_LOOK_UP
  if (missing != nullptr)
    return absl::InvalidArgumentError(
        fmt::format("{} is no Wasmtime {}: it has no {}", path, kWasmtimeVersion, missing));
  return &api;
}

absl::StatusOr<const wasmtime::Api*> Load() {
  for (const std::string& place : WasmtimePlaces())
    if (os::Exists(place)) return LoadFrom(place);
  return absl::NotFoundError(
      fmt::format("guests need Wasmtime {}: tools/setup --guests brings it", kWasmtimeVersion));
}

}  // namespace

std::vector<std::string> WasmtimePlaces() {
  if (const std::optional<std::string> place = os::Environment("KSIM_WASMTIME")) return {*place};
  std::vector<std::string> places;
  const std::string name = fmt::format("libwasmtime-{}.so", kWasmtimeVersion);
  const std::string program = os::ProgramPath();
  const std::size_t folder = program.rfind('/');
  if (folder != std::string::npos)
    places.push_back(fmt::format("{}/../lib/ksim/{}", program.substr(0, folder), name));
  const std::optional<std::string> data = os::Environment("XDG_DATA_HOME");
  const std::optional<std::string> home = os::Environment("HOME");
  if (data && !data->empty()) {
    places.push_back(fmt::format("{}/ksim/{}", *data, name));
  } else if (home && !home->empty()) {
    places.push_back(fmt::format("{}/.local/share/ksim/{}", *home, name));
  }
  return places;
}

absl::StatusOr<const wasmtime::Api*> LoadWasmtime() {
  // NOLINT(ksim-static): one library a process, and nothing of it enters a run
  static const absl::StatusOr<const wasmtime::Api*> loaded = Load();
  return loaded;
}

}  // namespace ksim::guest
