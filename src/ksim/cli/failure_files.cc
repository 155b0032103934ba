#include "ksim/cli/failure_files.h"

#include <filesystem>
#include <system_error>

#include "ksim/base/os.h"
#include "ksim/base/status.h"

namespace ksim::cli {
namespace {

namespace fs = std::filesystem;

absl::Status MoveFiles(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(os::MakeDirectories(to));
  for (const char* file : kFailureFiles) {
    std::error_code error;
    fs::rename(from + "/" + file, to + "/" + file, error);
    if (error) return os::ErrnoStatus(error.value());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteWhole(const std::string& dir,
                        const std::function<absl::Status(const std::string&)>& write) {
  std::string part = dir;
  while (part.size() > 1 && part.ends_with('/')) part.pop_back();
  part += ".part";
  absl::Status status = write(part);
  if (status.ok()) status = MoveFiles(part, dir);
  RemoveFailure(part);
  return status;
}

void RemoveFailure(const std::string& dir) {
  std::error_code ignored;
  for (const char* file : kFailureFiles) fs::remove(dir + "/" + file, ignored);
  fs::remove(dir, ignored);  // only if nothing else is in it
}

}  // namespace ksim::cli
