#include "ksim/base/directory_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "ksim/base/os.h"
#include "ksim/base/status.h"

namespace ksim::os {
namespace {

constexpr const char* kFile = "/.lock";

std::string ContentsOf(int fd) {
  char buffer[512];
  const ssize_t n = ::pread(fd, buffer, sizeof buffer, 0);
  std::string text(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "another process" : text;
}

// Whether the name still leads to the file that was opened: its holder before may have removed it.
bool IsStill(const std::string& path, int fd) {
  struct stat by_name = {}, opened = {};
  return ::stat(path.c_str(), &by_name) == 0 && ::fstat(fd, &opened) == 0 &&
         by_name.st_ino == opened.st_ino && by_name.st_dev == opened.st_dev;
}

}  // namespace

absl::StatusOr<std::unique_ptr<DirectoryLock>> DirectoryLock::Take(const std::string& directory,
                                                                   std::string_view holder) {
  const std::string path = directory + kFile;
  for (;;) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return ErrnoStatus(errno);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const std::string other = ContentsOf(fd);
      ::close(fd);
      if (error == EWOULDBLOCK) return absl::FailedPreconditionError(other);
      return ErrnoStatus(error);
    }
    if (IsStill(path, fd)) {
      std::unique_ptr<DirectoryLock> lock(new DirectoryLock(fd, path));
      if (::ftruncate(fd, 0) != 0) return ErrnoStatus(errno);
      RETURN_IF_ERROR(WriteToDescriptor(fd, std::string(holder) + "\n"));
      return lock;
    }
    ::close(fd);
  }
}

DirectoryLock::~DirectoryLock() {
  ::unlink(path_.c_str());
  ::close(fd_);
}

}  // namespace ksim::os
