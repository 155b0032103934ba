#include "ksim/guest/build/inspect.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/status.h"

namespace ksim::guest {
namespace {

using value::Value;

constexpr std::string_view kWasiModule = "wasi_snapshot_preview1";
constexpr std::uint64_t kPageBytes = 65536;

constexpr std::string_view kLibraries[] = {
    "k8s.io/client-go",    "sigs.k8s.io/controller-runtime", "k8s.io/kubernetes",
    "k8s.io/apimachinery", "k8s.io/component-base",          "knative.dev/pkg"};

// Go writes its version into the section `producers` of the tool conventions: "Go" and, a length
// byte behind it, the version.
std::string GoVersionOf(const WasmModule& module) {
  const std::string_view producers = module.Custom("producers").value_or("");
  const std::size_t at = producers.find("go1.");
  if (at == producers.npos || at == 0) return "";
  return std::string(producers.substr(at, static_cast<unsigned char>(producers[at - 1])));
}

bool IsProgram(const WasmModule& module) {
  const bool wasi = std::any_of(module.imports.begin(), module.imports.end(),
                                [](const WasmImport& i) { return i.module == kWasiModule; });
  return wasi && module.Exports("_start");
}

void TakeBuild(std::string_view bytes, const WasmModule& module, Inspection* out) {
  const std::optional<std::string_view> json = module.Custom(kBuildSection);
  if (!json) return;
  const absl::StatusOr<BuildInfo> info = ReadBuildInfo(*json);
  if (!info.ok()) {
    out->changed = true;
    return;
  }
  out->build = *info;
  const WasmSection& last = module.sections.back();
  out->changed = last.name != kBuildSection || Sha256Hex(bytes.substr(0, last.begin)) != info->wasm;
}

Value ModuleTree(const GoModule& module) {
  return value::Obj({{"path", Value::Of(module.path)}, {"version", Value::Of(module.version)}});
}

}  // namespace

absl::StatusOr<Inspection> Inspect(std::string_view bytes) {
  absl::StatusOr<WasmModule> module = ReadWasm(bytes);
  if (!module.ok())
    return absl::InvalidArgumentError(
        fmt::format("it is no WebAssembly module: {}", Message(module.status())));
  if (!IsProgram(*module))
    return absl::InvalidArgumentError(
        fmt::format("it is a WebAssembly module, but no program for WASI preview 1: {}",
                    module->Exports("_start") ? "it imports nothing of wasi_snapshot_preview1"
                                              : "it does not export _start"));
  Inspection out;
  out.go = GoVersionOf(*module);
  if (const std::optional<GoBuildInfo> info = FindGoBuildInfo(bytes)) {
    out.package = info->package;
    out.module = info->module;
    for (const std::string_view library : kLibraries)
      for (const GoModule& d : info->dependencies)
        if (d.path == library) out.libraries.push_back(d);
  }
  out.imports = module->imports;
  out.memory = module->memory.value_or(WasmMemory{});
  out.size = bytes.size();
  out.built_by_ksim = module->Imports("ksim", "idle");
  TakeBuild(bytes, *module, &out);
  if (!out.build.package.empty()) out.package = out.build.package;
  if (!out.build.module.empty()) out.module = {out.build.module, out.build.version};
  return out;
}

std::string Complaint(const Inspection& guest) {
  if (!guest.built_by_ksim)
    return guest.go.empty() ? "no Go program: ksim cannot pause it; guests are Go programs that "
                              "`ksim guest build` has built"
                            : "not built by ksim, which cannot pause it; build it with "
                              "`ksim guest build DIR`";
  if (guest.changed) return "the file was changed after ksim built it; build it again";
  return "";
}

Value ToTree(const Inspection& guest) {
  std::vector<Value> libraries, imports;
  for (const GoModule& library : guest.libraries) libraries.push_back(ModuleTree(library));
  std::vector<std::string> names;
  for (const WasmImport& i : guest.imports) names.push_back(fmt::format("{}.{}", i.module, i.name));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) imports.push_back(Value::Of(name));
  return value::Obj(
      {{"apiVersion", Value::Of("ksim.dev/v1")},
       {"builtByKsim", Value::Of(guest.built_by_ksim)},
       {"changed", Value::Of(guest.changed)},
       {"edits", Value::Of(guest.build.edits)},
       {"go", Value::Of(guest.go)},
       {"hash", Value::Of(guest.build.wasm)},
       {"imports", Value::Array(std::move(imports))},
       {"inputs", Value::Of(guest.build.inputs)},
       {"kind", Value::Of("Guest")},
       {"ksim", Value::Of(guest.build.ksim)},
       {"libraries", Value::Array(std::move(libraries))},
       {"memoryBytes", Value::Int(static_cast<std::int64_t>(guest.memory.pages * kPageBytes))},
       {"module", ModuleTree(guest.module)},
       {"package", Value::Of(guest.package)},
       {"sizeBytes", Value::Int(static_cast<std::int64_t>(guest.size))}});
}

}  // namespace ksim::guest
