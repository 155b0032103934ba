#include "ksim/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "ksim/base/os.h"

namespace ksim::os {

absl::StatusOr<std::unique_ptr<MappedFile>> MappedFile::Open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno);
  struct stat file{};
  absl::Status status;
  std::string_view content;
  if (::fstat(fd, &file) != 0) {
    status = ErrnoStatus(errno);
  } else if (S_ISDIR(file.st_mode)) {
    status = ErrnoStatus(EISDIR);
  } else if (file.st_size > 0) {
    const auto size = static_cast<std::size_t>(file.st_size);
    void* const bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (bytes == MAP_FAILED)
      status = ErrnoStatus(errno);
    else
      content = std::string_view(static_cast<const char*>(bytes), size);
  }
  ::close(fd);
  if (!status.ok()) return status;
  return std::unique_ptr<MappedFile>(new MappedFile(content));
}

MappedFile::~MappedFile() {
  if (!content_.empty()) ::munmap(const_cast<char*>(content_.data()), content_.size());
}

}  // namespace ksim::os
