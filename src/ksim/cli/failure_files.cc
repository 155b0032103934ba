#include "ksim/cli/failure_files.h"

#include <filesystem>
#include <set>
#include <system_error>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/help.h"
#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles[] = {"scenario.yaml", "trace.jsonl", "README.md"};

absl::Status MoveFiles(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(os::MakeDirectories(to));
  for (const char* file : kFiles) {
    std::error_code error;
    fs::rename(from + "/" + file, to + "/" + file, error);
    if (error) return os::ErrnoStatus(error.value());
  }
  return absl::OkStatus();
}

void RemoveFailure(const std::string& dir) {
  std::error_code ignored;
  for (const char* file : kFiles) fs::remove(dir + "/" + file, ignored);
  fs::remove(dir, ignored);  // only if nothing else is in it
}

}  // namespace

absl::Status WriteAsWhole(const std::string& dir,
                          const std::function<absl::Status(const std::string&)>& write) {
  std::string part = dir;
  while (part.size() > 1 && part.ends_with('/')) part.pop_back();
  part += ".part";
  absl::Status status = write(part);
  if (status.ok()) status = MoveFiles(part, dir);
  RemoveFailure(part);
  return status;
}

absl::Status CopyFiles(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(os::MakeDirectories(to));
  for (const char* file : kFiles) {
    ASSIGN_OR_RETURN(const std::string text, os::ReadFile(from + "/" + file));
    RETURN_IF_ERROR(os::WriteFile(to + "/" + file, text));
  }
  return absl::OkStatus();
}

std::string CommandOn(const std::string& program, bool runs_alone, const std::string& dir) {
  return runs_alone ? program + " run " + ShellQuote(dir + "/scenario.yaml")
                    : program + " replay " + ShellQuote(dir + "/trace.jsonl");
}

void SetDirectory(const std::string& program, const std::string& dir, fuzz::FailureLine* f) {
  f->dir = dir;
  f->show = CommandOn(program, fuzz::ShowsByRun(*f), dir);
}

absl::StatusOr<fuzz::Summary> ReadCampaign(const std::string& path) {
  const absl::StatusOr<std::string> text = os::ReadFile(path);
  if (!text.ok())
    return absl::InvalidArgumentError("cannot read it: " + std::string(Message(text.status())));
  ASSIGN_OR_RETURN(const value::Value tree, value::ParseJson(*text));
  return fuzz::ParseSummary(tree);
}

absl::Status WriteCampaign(const std::string& dir, const fuzz::Summary& summary, bool replaces) {
  const std::string path = dir + "/campaign.json";
  const absl::StatusOr<fuzz::Summary> earlier = ReadCampaign(path);
  RETURN_IF_ERROR(os::MakeDirectories(dir));
  RETURN_IF_ERROR(os::WriteFile(path, fuzz::ForFile(summary)));
  if (!earlier.ok() || !replaces) return absl::OkStatus();
  std::set<std::string> kept;
  for (const fuzz::FailureLine& f : summary.failures) kept.insert(fuzz::DirectoryName(f.dir));
  for (const fuzz::FailureLine& f : earlier->failures)
    if (!f.dir.empty() && !kept.contains(fuzz::DirectoryName(f.dir)))
      RemoveFailure(dir + "/" + fuzz::DirectoryName(f.dir));
  return absl::OkStatus();
}

}  // namespace ksim::cli
