// ksim guest: builds real Go controllers for the simulation, and says what such a file is.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/listen_flags.h"
#include "ksim/cli/live_line.h"
#include "ksim/cli/signals.h"
#include "ksim/guest/build/guest_build.h"
#include "ksim/guest/build/inspect.h"
#include "ksim/kubectl/printing/tree_text.h"

namespace ksim::cli {
namespace {

struct GuestFlags {
  std::string action, what, output, tags, ldflags, modfile;
  CommonFlags common;
};

void AddGuestFlags(FlagSet& set, GuestFlags& flags) {
  set.Add("ACTION", &flags.action, "build or inspect");
  set.Add("WHAT", &flags.what, "build: DIR or PACKAGE@VERSION; inspect: FILE.wasm");
  set.Add("-o,--output", &flags.output, "build: the file to write; inspect: text, json or yaml")
      .Type("FILE");
  set.Add("--tags", &flags.tags, "build: tags for go build").Type("TAGS");
  set.Add("--ldflags", &flags.ldflags, "build: flags for Go's linker, as -X main.version=1")
      .Type("FLAGS");
  set.Add("--modfile", &flags.modfile, "build: read this file of DIR in place of go.mod")
      .Type("FILE");
  AddQuietFlag(set, flags.common);
}

// $XDG_CACHE_HOME/ksim/guest, by default below the home; "" where neither is known.
std::string CacheFolder() {
  const std::string cache = os::Environment("XDG_CACHE_HOME").value_or("");
  if (cache.starts_with('/')) return cache + "/ksim/guest";
  const std::string home = os::Environment("HOME").value_or("");
  return home.starts_with('/') ? home + "/.cache/ksim/guest" : "";
}

// Shows how far the build is: a line for each step, and where there is a terminal, the packages on
// a line that changes.
class BuildProgress {
 public:
  BuildProgress(Io& io, bool quiet) : io_(io), quiet_(quiet), line_(quiet ? -1 : 2) {}

  void ShowStep(std::string_view text) {
    line_.Erase();
    if (!quiet_) io_.Err(fmt::format("guest: {}\n", text));
  }
  void ShowDetail(std::string_view text) {
    if (line_.IsDue(1)) line_.Show(text);
  }
  void Erase() { line_.Erase(); }

 private:
  Io& io_;
  bool quiet_;
  LiveLine line_;
};

std::string Megabytes(std::uint64_t bytes) {
  const std::uint64_t tenths = (bytes + 50'000) / 100'000;
  return fmt::format("{}.{} MB", tenths / 10, tenths % 10);
}

int Build(Io& io, const GuestFlags& flags) {
  if (flags.output == "-")
    return Refuse(io, "--output", "a guest is a file", "-o my-operator.wasm");
  const std::string cache = CacheFolder();
  if (cache.empty()) return Refuse(io, "HOME", "it is not set, and there the cache would be");
  const InterruptibleScope stoppable;
  BuildProgress progress(io, flags.common.quiet);
  const guest::BuildHooks hooks{
      .progress = [&progress](std::string_view text) { progress.ShowStep(text); },
      .detail = [&progress](std::string_view text) { progress.ShowDetail(text); },
      .stop = [] { return interrupted != 0; }};
  const guest::BuildResult result = guest::BuildGuest({.what = flags.what,
                                                       .output = flags.output,
                                                       .tags = flags.tags,
                                                       .ldflags = flags.ldflags,
                                                       .modfile = flags.modfile,
                                                       .cache = cache},
                                                      hooks);
  progress.Erase();
  io.Err(Render(result.problems, io.err_color()));
  if (result.interrupted) return InterruptedCode();
  if (result.file.empty()) return kInvalid;
  io.Out(fmt::format("{}: {} {}, {}, {}\n", result.file, result.info.module, result.info.version,
                     result.info.go, Megabytes(result.size)));
  return kOk;
}

void PrintRow(Io& io, std::string_view name, std::string_view text) {
  if (!text.empty()) io.Out(fmt::format("  {:<11} {}\n", name, text));
}

std::string ModuleText(const guest::GoModule& module) {
  return module.version.empty() ? module.path : fmt::format("{} {}", module.path, module.version);
}

// "ksim: idle, reseed; wasi_snapshot_preview1: ..."
std::string ImportText(const guest::Inspection& found) {
  std::vector<std::string> of_ksim, of_wasi, others;
  for (const guest::WasmImport& i : found.imports) {
    if (i.module == "ksim") {
      of_ksim.emplace_back(i.name);
    } else if (i.module == "wasi_snapshot_preview1") {
      of_wasi.emplace_back(i.name);
    } else {
      others.push_back(fmt::format("{}.{}", i.module, i.name));
    }
  }
  std::string text =
      fmt::format("{} of WASI preview 1", std::set(of_wasi.begin(), of_wasi.end()).size());
  if (!of_ksim.empty()) text += fmt::format("; ksim: {}", fmt::join(of_ksim, ", "));
  if (!others.empty()) text += fmt::format("; no host has {}", fmt::join(others, ", "));
  return text;
}

void PrintText(Io& io, const std::string& file, const guest::Inspection& found) {
  io.Out(file + "\n");
  PrintRow(io, "module", ModuleText(found.module));
  PrintRow(io, "package", found.package);
  PrintRow(io, "go", found.go.empty() ? "no Go program" : found.go);
  std::vector<std::string> libraries;
  for (const guest::GoModule& library : found.libraries) libraries.push_back(ModuleText(library));
  PrintRow(io, "libraries", fmt::format("{}", fmt::join(libraries, ", ")));
  PrintRow(io, "size",
           fmt::format("{}; memory {} at the start", Megabytes(found.size),
                       Megabytes(found.memory.pages << 16)));
  PrintRow(io, "imports", ImportText(found));
  PrintRow(io, "built by", found.build.ksim.empty() ? "" : "ksim " + found.build.ksim);
  PrintRow(io, "hash", found.build.wasm);
  PrintRow(io, "inputs", found.build.inputs);
  PrintRow(io, "edits", found.build.edits);
}

int Inspect(Io& io, const GuestFlags& flags) {
  const std::string format = flags.output.empty() ? "text" : flags.output;
  if (format != "text" && format != "json" && format != "yaml")
    return Refuse(io, "--output", fmt::format("unknown output format \"{}\"", format),
                  "text, json or yaml");
  const absl::StatusOr<std::string> bytes = os::ReadFile(flags.what);
  if (!bytes.ok())
    return Refuse(io, flags.what, fmt::format("cannot read it: {}", Message(bytes.status())));
  const absl::StatusOr<guest::Inspection> found = guest::Inspect(*bytes);
  if (!found.ok())
    return Refuse(io, flags.what, Message(found.status()),
                  "`ksim guest build DIR` makes a guest of a Go module");
  if (format == "text") {
    PrintText(io, flags.what, *found);
  } else {
    io.Out(kubectl::TreeText(guest::ToTree(*found), format));
  }
  const std::string complaint = guest::Complaint(*found);
  if (complaint.empty()) return kOk;
  io.Err(fmt::format("{}: error: {}\n", flags.what, complaint));
  return kInvalid;
}

int RunGuest(Io& io, const GuestFlags& flags) {
  const bool build = flags.action == "build";
  if (!build && flags.action != "inspect") {
    io.Err(flags.action.empty()
               ? "error: guest what?\nhint: ksim guest build DIR, or ksim guest inspect FILE.wasm\n"
               : fmt::format("error: unknown action \"{}\"; did you mean \"{}\"?\n", flags.action,
                             flags.action.starts_with('i') ? "inspect" : "build"));
    return kInvalid;
  }
  if (flags.what.empty()) {
    io.Err(build ? "error: build what?\nhint: ksim guest build DIR, or PACKAGE@VERSION\n"
                 : "error: inspect what?\nhint: ksim guest inspect FILE.wasm\n");
    return kInvalid;
  }
  return build ? Build(io, flags) : Inspect(io, flags);
}

}  // namespace

Command GuestCommand() {
  return {
      .name = "guest",
      .summary = "build a real Go controller for the simulation, and look at it",
      .usage =
          "ksim guest build DIR|PACKAGE@VERSION [-o FILE.wasm]\n"
          "  ksim guest inspect FILE.wasm [-o json|yaml]",
      .description =
          "`build` compiles a Go program to WebAssembly, so that it runs in the cluster of a\n"
          "scenario. DIR is a Go module with one program, or the directory of a program;\n"
          "PACKAGE@VERSION is one of the module proxy's. Go 1.24 to 1.26 must be in PATH. Nothing\n"
          "of the module is changed, and nothing of Go: copies of a few of its files are edited.\n"
          "The first build compiles Go's library and all packages and takes minutes.\n"
          "\n"
          "A program that needs C (cgo), or a package that has nothing for GOOS=wasip1, cannot be "
          "a\n"
          "guest: the message names the package and who imports it.\n"
          "\n"
          "`inspect` shows what a file is: its module, its libraries, the Go that compiled it, "
          "and\n"
          "hashes by which two builds can be told apart. A file that is no guest is code 2.",
      .examples = {{"A kubebuilder project", "ksim guest build . -o my-operator.wasm"},
                   {"Kubernetes' own controllers",
                    "ksim guest build k8s.io/kubernetes/cmd/kube-controller-manager@v1.36.3"},
                   {"What a file is", "ksim guest inspect my-operator.wasm"}},
      .invoke = &Invoke<GuestFlags, AddGuestFlags, RunGuest>};
}

}  // namespace ksim::cli
