#include "ksim/guest/build/modules.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "ksim/base/os.h"
#include "ksim/value/json.h"

namespace ksim::guest {
namespace {

using value::Value;

constexpr std::string_view kKubernetes = "k8s.io/kubernetes";

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

bool IsFolder(std::string_view target) {
  return target.starts_with('.') || target.starts_with('/');
}

// Copies a file; an absent one is none.
absl::Status Copy(const std::string& from, const std::string& to) {
  const absl::StatusOr<std::string> text = os::ReadFile(from);
  if (absl::IsNotFound(text.status())) return os::RemoveFile(to);
  return text.ok() ? os::WriteFile(to, *text) : text.status();
}

absl::StatusOr<GoOutput> RunWell(const GoTool& go, const std::vector<std::string>& words) {
  absl::StatusOr<GoOutput> output = go.Run(words);
  if (output.ok() && output->code != 0)
    return absl::InvalidArgumentError(fmt::format("{}", fmt::join(output->errors, "\n")));
  return output;
}

absl::StatusOr<Value> RunForJson(const GoTool& go, const std::vector<std::string>& words) {
  const absl::StatusOr<GoOutput> output = RunWell(go, words);
  if (!output.ok()) return output.status();
  return value::ParseJson(output->out);
}

// v0.36.3 for k8s.io/kubernetes v1.36.3; "" for other modules.
std::string StagingVersion(const PackageModule& module) {
  if (module.path != kKubernetes || !module.version.starts_with("v1.")) return "";
  return "v0." + module.version.substr(3);
}

bool IsNoVersion(std::string_view version) {
  return version.empty() || version.starts_with("v0.0.0-0001") || version == "v0.0.0";
}

}  // namespace

ModuleFiles ModuleFiles::OfUser(GoTool* go, const std::string& modfile, std::string go_mod,
                                std::string cache) {
  ModuleFiles files(go, std::move(cache));
  files.given_ = std::move(go_mod);
  if (!modfile.empty()) files.flags_ = {"-modfile=" + modfile};
  return files;
}

ModuleFiles ModuleFiles::OfOurs(GoTool* go) {
  ModuleFiles files(go, "");
  files.file_ = go->go_mod();
  files.flags_ = {"-mod=mod"};
  return files;
}

absl::Status ModuleFiles::Replace(std::string_view module, std::string_view directory) {
  const bool workspace = cache_ != "" && given_.empty() && go_->go_work() != "";
  if (file_.empty())
    if (absl::Status copied = workspace ? CopyWorkspace() : CopyModule(); !copied.ok())
      return copied;
  return RunWell(*go_, {workspace ? "work" : "mod", "edit",
                        fmt::format("-replace={}={}", module, directory), file_})
      .status();
}

absl::Status ModuleFiles::CopyModule() {
  file_ = cache_ + "/go.mod";
  flags_ = {"-modfile=" + file_};
  const std::string from = given_.empty() ? go_->go_mod() : given_;
  if (absl::Status copied = Copy(from, file_); !copied.ok()) return copied;
  // As go names the checksums of a -modfile.
  const std::string sums = from.substr(0, from.rfind('.')) + ".sum";
  return Copy(sums, cache_ + "/go.sum");
}

absl::Status ModuleFiles::CopyWorkspace() {
  const std::string from = go_->go_work();
  file_ = cache_ + "/go.work";
  if (absl::Status copied = Copy(from, file_); !copied.ok()) return copied;
  if (absl::Status copied = Copy(from + ".sum", file_ + ".sum"); !copied.ok()) return copied;
  const absl::StatusOr<Value> work = RunForJson(*go_, {"work", "edit", "-json", from});
  if (!work.ok()) return work.status();
  // Its folders are named from where it lies.
  std::vector<std::string> edit{"work", "edit"};
  const auto absolute = [&from](std::string_view path) {
    return path.starts_with('/') ? std::string(path) : fmt::format("{}/{}", FolderOf(from), path);
  };
  for (const Value& use : work->Get("Use").items()) {
    const std::string_view path = use.Get("DiskPath").AsString();
    edit.push_back(fmt::format("-dropuse={}", path));
    edit.push_back("-use=" + absolute(path));
  }
  for (const Value& replace : work->Get("Replace").items()) {
    const std::string_view target = replace.Get("New").Get("Path").AsString();
    if (!IsFolder(target)) continue;
    const Value& old = replace.Get("Old");
    const std::string_view version = old.Get("Version").AsString();
    edit.push_back(fmt::format("-replace={}{}{}={}", old.Get("Path").AsString(),
                               version.empty() ? "" : "@", version, absolute(target)));
  }
  edit.push_back(file_);
  if (absl::Status edited = RunWell(*go_, edit).status(); !edited.ok()) return edited;
  go_->Set("GOWORK=" + file_);
  return absl::OkStatus();
}

absl::StatusOr<PackageModule> FindModule(const GoTool& go, std::string_view package,
                                         std::string_view version) {
  absl::Status first;
  for (std::string path(package); path.find('/') != path.npos; path = FolderOf(path)) {
    const absl::StatusOr<GoOutput> output =
        go.Run({"mod", "download", "-json", fmt::format("{}@{}", path, version)});
    if (!output.ok()) return output.status();
    const absl::StatusOr<Value> answer = value::ParseJson(output->out);
    if (!answer.ok())
      return absl::NotFoundError(fmt::format("{}", fmt::join(output->errors, "\n")));
    const std::string folder(answer->Get("Dir").AsString());
    const std::string below = folder + std::string(package.substr(path.size()));
    if (!folder.empty() && os::IsDirectory(below))
      return PackageModule{path, std::string(answer->Get("Version").AsString()),
                           std::string(answer->Get("GoMod").AsString())};
    // The error about the shortest path is the one about a module that is there.
    const std::string_view error = answer->Get("Error").AsString();
    first = absl::NotFoundError(
        folder.empty() ? std::string(error)
                       : fmt::format("{}@{} has no package {}", path, version, package));
    if (!folder.empty()) break;
  }
  if (first.ok()) return absl::NotFoundError(fmt::format("{} is no path of a module", package));
  return first;
}

absl::StatusOr<std::string> ProgramModule(const GoTool& go, const PackageModule& module) {
  const absl::StatusOr<Value> file = RunForJson(go, {"mod", "edit", "-json", module.go_mod});
  if (!file.ok()) return file.status();
  std::string text = "module ksim.dev/guest\n\n";
  if (const std::string_view version = file->Get("Go").AsString(); !version.empty())
    text += fmt::format("go {}\n", version);
  for (const Value& setting : file->Get("Godebug").items())
    text += fmt::format("godebug {}={}\n", setting.Get("Key").AsString(),
                        setting.Get("Value").AsString());
  text += fmt::format("require {} {}\n", module.path, module.version);
  std::map<std::string, std::string, std::less<>> required;
  const std::string staging = StagingVersion(module);
  for (const Value& require : file->Get("Require").items()) {
    const std::string_view path = require.Get("Path").AsString();
    std::string version(require.Get("Version").AsString());
    const bool staged = IsNoVersion(version) && !staging.empty() && path.starts_with("k8s.io/");
    if (staged) version = staging;
    text += fmt::format("require {} {}\n", path, version);
    if (staged) text += fmt::format("replace {0} => {0} {1}\n", path, version);
    required[std::string(path)] = version;
  }
  for (const Value& replace : file->Get("Replace").items()) {
    const std::string_view path = replace.Get("Old").Get("Path").AsString();
    const std::string_view old_version = replace.Get("Old").Get("Version").AsString();
    const std::string_view target = replace.Get("New").Get("Path").AsString();
    if (!IsFolder(target)) {
      text += fmt::format("replace {} {} => {} {}\n", path, old_version, target,
                          replace.Get("New").Get("Version").AsString());
    } else if (const auto found = required.find(path);
               found != required.end() && IsNoVersion(found->second)) {
      return absl::FailedPreconditionError(
          fmt::format("{} {} replaces {} by its folder {}, which no module proxy has", module.path,
                      module.version, path, target));
    }
  }
  for (const Value& exclude : file->Get("Exclude").items())
    text += fmt::format("exclude {} {}\n", exclude.Get("Path").AsString(),
                        exclude.Get("Version").AsString());
  return text;
}

}  // namespace ksim::guest
