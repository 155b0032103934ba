// ksim new: the files of a new controller.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/help.h"
#include "ksim/cli/listen_flags.h"
#include "ksim/cli/signals.h"
#include "ksim/cli/skeleton/skeleton.h"

namespace ksim::cli {
namespace {

namespace fs = std::filesystem;

struct NewFlags {
  std::string what, name, dir, kind;
  std::string group = "example.dev";
  CommonFlags common;
};

void AddNewFlags(FlagSet& set, NewFlags& flags) {
  set.Add("WHAT", &flags.what, "controller");
  set.Add("NAME", &flags.name, "Of the controller and its program: widget-controller");
  set.Add("--dir", &flags.dir, "The directory to make; default NAME")
      .Type("DIR")
      .NotEmpty("directory");
  set.Add("--kind", &flags.kind, "The custom kind that it serves; default made of NAME: Widget")
      .Type("KIND")
      .NotEmpty("kind");
  set.Add("--group", &flags.group, "The kind's group; default example.dev")
      .Type("GROUP")
      .NotEmpty("group");
  AddColorFlag(set, flags.common);
  AddQuietFlag(set, flags.common);
}

absl::Status WriteInto(const std::string& dir, const std::vector<SkeletonFile>& files) {
  for (const SkeletonFile& file : files) {
    const std::string path = dir + "/" + file.path;
    RETURN_IF_ERROR(os::MakeDirectories(path.substr(0, path.rfind('/'))));
    RETURN_IF_ERROR(os::WriteFile(path, file.text));
  }
  return absl::OkStatus();
}

// Writes all of it, or nothing.
absl::Status WriteDirectory(const std::string& dir, const std::vector<SkeletonFile>& files) {
  const std::string part = dir + ".part";
  std::error_code error;
  absl::Status status = WriteInto(part, files);
  if (status.ok()) {
    fs::rename(part, dir, error);
    if (error) status = os::ErrnoStatus(error.value());
  }
  if (!status.ok()) fs::remove_all(part, error);
  return status;
}

std::string NextSteps(const std::string& dir, const std::string& name) {
  const std::string at = ShellQuote(dir), build = ShellQuote(dir + "/build");
  return fmt::format(
      "next:\n  cmake -S {0} -B {1} && cmake --build {1}\n  ctest --test-dir {1}\n  {2} run shop\n",
      at, build, ShellQuote(dir + "/build/" + name));
}

int RunNew(Io& io, const NewFlags& flags) {
  io.SetColor(flags.common.color);
  if (flags.what != "controller" || flags.name.empty()) {
    io.Err(flags.what.empty() || flags.what == "controller"
               ? "error: new what?\n"
               : fmt::format("error: unknown \"{}\"; known: controller\n", flags.what));
    io.Err(InNameOf(io.program(), "hint: ksim new controller widget-controller\n"));
    return kInvalid;
  }
  SkeletonNames names;
  names.name = flags.name;
  names.kind = flags.kind.empty() ? KindFromName(flags.name) : flags.kind;
  names.group = flags.group;
  const std::vector<std::string> problems = ProblemsOf(names);
  for (const std::string& problem : problems) Refuse(io, flags.name, problem);
  if (!problems.empty()) return kInvalid;
  std::string dir = flags.dir.empty() ? flags.name : flags.dir;
  while (dir.size() > 1 && dir.ends_with('/')) dir.pop_back();
  for (const std::string& taken : {dir, dir + ".part"})
    if (os::Exists(taken)) return Refuse(io, taken, "it is there already; --dir names another");
  const InterruptibleScope until_all_is_written;
  const std::vector<SkeletonFile> files = MakeSkeleton(names);
  if (const absl::Status status = WriteDirectory(dir, files); !status.ok())
    return Refuse(io, dir, fmt::format("cannot write it: {}", Message(status)));
  if (flags.common.quiet) return kOk;
  for (const SkeletonFile& file : files) io.Out(fmt::format("{}/{}\n", dir, file.path));
  io.Out(NextSteps(dir, names.name));
  return kOk;
}

}  // namespace

Command NewCommand() {
  return {
      .name = "new",
      .summary = "write the files of a new controller in C++",
      .usage = "ksim new controller NAME [flags]",
      .description =
          "Makes DIR with a controller that works, a program that runs, fuzzes and replays it\n"
          "(ksim/main.h), a scenario, a test and a CI workflow; they build against an installed\n"
          "ksim. Whatever is there already is left alone: then it is code 2.",
      .examples = {{"A controller of Widgets",
                    "ksim new controller widget-controller --dir /tmp/widget-controller"}},
      .invoke = &Invoke<NewFlags, AddNewFlags, RunNew>};
}

}  // namespace ksim::cli
