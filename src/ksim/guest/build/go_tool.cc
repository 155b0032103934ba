#include "ksim/guest/build/go_tool.h"

#include <fmt/format.h>

#include <charconv>

#include "absl/status/status.h"
#include "ksim/base/child_program.h"
#include "ksim/base/os.h"
#include "ksim/guest/build/split.h"

namespace ksim::guest {
namespace {

bool IsProgress(std::string_view line) {
  return line.starts_with("go: downloading ") || line.starts_with("go: finding ");
}

// GOROOT by another path, if Go lies where it refuses overlays (since Go 1.25: in the module cache,
// where the toolchains are that Go fetches for itself).
absl::StatusOr<std::string> RootForOverlays(const std::string& root,
                                            const std::string& module_cache,
                                            const std::string& version, const std::string& cache) {
  if (module_cache.empty() || !root.starts_with(module_cache + "/")) return root;
  const std::string link = cache + "/goroot/" + version;
  if (absl::Status made = os::MakeDirectories(cache + "/goroot"); !made.ok()) return made;
  if (absl::Status linked = os::LinkTo(root, link); !linked.ok()) return linked;
  return link;
}

}  // namespace

int GoMinor(std::string_view version) {
  constexpr std::string_view kPrefix = "go1.";
  if (!version.starts_with(kPrefix)) return -1;
  version.remove_prefix(kPrefix.size());
  int minor = -1;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), minor);
  return error == std::errc() ? minor : -1;
}

absl::StatusOr<GoTool> GoTool::Find(const std::string& directory, const std::string& cache,
                                    BuildHooks hooks) {
  GoTool go;
  go.directory_ = directory;
  go.hooks_ = std::move(hooks);
  const absl::StatusOr<GoOutput> found =
      go.Run({"env", "GOVERSION", "GOROOT", "GOMODCACHE", "GOMOD", "GOWORK"});
  if (absl::IsNotFound(found.status()))
    return absl::NotFoundError("there is no Go: `go` is not in PATH");
  if (!found.ok()) return found.status();
  const std::vector<std::string> values = Split(found->out, '\n');
  if (found->code != 0 || values.size() < 5)
    return absl::UnavailableError(
        fmt::format("go env: {}", found->errors.empty() ? "no answer" : found->errors.back()));
  go.version_ = values[0].substr(0, values[0].find(' '));
  go.module_cache_ = values[2];
  go.go_mod_ = values[3] == "/dev/null" ? "" : values[3];
  go.go_work_ = values[4] == "off" ? "" : values[4];
  const int minor = GoMinor(go.version_);
  if (minor >= 0 && minor < kOldestGoMinor)
    return absl::FailedPreconditionError(fmt::format("{} is too old: guests need Go 1.{} to 1.{}",
                                                     go.version_, kOldestGoMinor, kNewestGoMinor));
  const absl::StatusOr<std::string> root =
      RootForOverlays(values[1], go.module_cache_, go.version_, cache);
  if (!root.ok()) return root.status();
  go.root_ = *root;
  go.program_ = go.root_ + "/bin/go";
  for (const std::string& entry :
       {"GOROOT=" + go.root_, std::string("GOTOOLCHAIN=local"), std::string("GOOS=wasip1"),
        std::string("GOARCH=wasm"), std::string("CGO_ENABLED=0")})
    go.Set(entry);
  return go;
}

absl::StatusOr<GoOutput> GoTool::Run(const std::vector<std::string>& words) const {
  std::vector<std::string> errors;
  absl::StatusOr<GoOutput> output = Run(words, [&](std::string_view line) {
    if (IsProgress(line)) {
      hooks_.detail(line);
    } else {
      errors.emplace_back(line);
    }
  });
  if (output.ok()) output->errors = std::move(errors);
  return output;
}

absl::StatusOr<GoOutput> GoTool::Run(const std::vector<std::string>& words,
                                     const std::function<void(std::string_view)>& on_line) const {
  os::ProgramCall call{{program_}, directory_, environment_};
  call.words.insert(call.words.end(), words.begin(), words.end());
  absl::StatusOr<os::ProgramEnd> end = os::RunProgram(call, on_line, hooks_.stop);
  if (!end.ok()) return end.status();
  return GoOutput{end->code, std::move(end->out), {}};
}

}  // namespace ksim::guest
