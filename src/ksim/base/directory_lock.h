// DirectoryLock: only one process at a time writes into a directory. The lock is that of the kernel
// (flock) on a file in the directory, which says who holds it: when its process ends, however it
// ends, the lock is free, and a file that is left behind does not matter.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace ksim::os {

class DirectoryLock {
 public:
  // `holder`: who takes it, in words for others. FailedPrecondition: somebody holds it, and the
  // message is their `holder`. Other errors: the file cannot be written.
  static absl::StatusOr<std::unique_ptr<DirectoryLock>> Take(const std::string& directory,
                                                             std::string_view holder);
  ~DirectoryLock();  // removes the file
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  DirectoryLock(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  int fd_;
  std::string path_;
};

}  // namespace ksim::os
