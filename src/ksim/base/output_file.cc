#include "ksim/base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "ksim/base/os.h"
#include "ksim/base/status.h"

namespace ksim::os {
namespace {

constexpr std::size_t kBuffer = 1 << 16;

// The permissions a plain open would have given; umask can only be read by setting it.
mode_t NewFileMode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

// The name of a temporary file, where a signal handler can read it.
struct Unfinished {
  enum State : int { kFree, kBeingWritten, kNamed };
  std::atomic<int> state{kFree};
  pid_t owner = 0;  // a forked process has the names, too
  char path[PATH_MAX];
};
std::array<Unfinished, 8> unfinished;  // NOLINT(ksim-static): the handler has no other way to it

// Where it was noted; -1: there is no room, and who ends the process at once leaves it behind.
int Note(const std::string& path) {
  if (path.size() >= sizeof(Unfinished::path)) return -1;
  for (std::size_t i = 0; i < unfinished.size(); ++i) {
    int free = Unfinished::kFree;
    Unfinished& u = unfinished[i];
    if (!u.state.compare_exchange_strong(free, Unfinished::kBeingWritten)) continue;
    std::memcpy(u.path, path.c_str(), path.size() + 1);
    u.owner = ::getpid();
    u.state = Unfinished::kNamed;
    return static_cast<int>(i);
  }
  return -1;
}

void Forget(int note) {
  if (note >= 0) unfinished[static_cast<std::size_t>(note)].state = Unfinished::kFree;
}

}  // namespace

void RemoveUnfinished() {
  for (const Unfinished& u : unfinished)
    if (u.state == Unfinished::kNamed && u.owner == ::getpid()) ::unlink(u.path);
}

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path) {
  return CreateFor(path, false);
}

absl::StatusOr<OutputFile> OutputFile::CreatePrivate(const std::string& path) {
  return CreateFor(path, true);
}

absl::StatusOr<OutputFile> OutputFile::CreateFor(const std::string& path, bool owner_only) {
  OutputFile file;
  if (path == "-") {
    file.fd_ = STDOUT_FILENO;
    return file;
  }
  struct stat existing;
  const bool exists = ::stat(path.c_str(), &existing) == 0;
  if (exists && S_ISDIR(existing.st_mode)) return ErrnoStatus(EISDIR);
  if (exists && ::access(path.c_str(), W_OK) != 0) return ErrnoStatus(errno);
  file.owned_ = true;
  if (exists && !S_ISREG(existing.st_mode)) {
    file.fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.fd_ < 0) return ErrnoStatus(errno);
    return file;
  }
  std::error_code error;
  file.target_ = path;
  if (exists) file.target_ = std::filesystem::canonical(path, error).string();
  if (error) return ErrnoStatus(error.value());
  std::string temporary = file.target_ + ".XXXXXX";
  file.fd_ = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (file.fd_ < 0) return ErrnoStatus(errno);
  file.note_ = Note(temporary);
  file.temporary_ = std::move(temporary);
  // mkostemp has made it for its owner alone.
  if (!owner_only) ::fchmod(file.fd_, exists ? existing.st_mode & 07777 : NewFileMode());
  return file;
}

absl::StatusOr<OutputFile> OutputFile::CreateInPlace(const std::string& path) {
  OutputFile file;
  file.fd_ = STDOUT_FILENO;
  if (path == "-") return file;
  file.fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file.fd_ < 0) return ErrnoStatus(errno);
  file.owned_ = true;
  return file;
}

absl::Status CheckWritable(const std::string& path) {
  struct stat existing;
  const bool exists = ::stat(path.c_str(), &existing) == 0;
  if (path == "-" || (exists && !S_ISREG(existing.st_mode) && !S_ISDIR(existing.st_mode)))
    return absl::OkStatus();  // to open a pipe and close it is not nothing
  return OutputFile::Create(path).status();
}

OutputFile::OutputFile(OutputFile&& o) noexcept
    : fd_(std::exchange(o.fd_, -1)),
      owned_(o.owned_),
      target_(std::move(o.target_)),
      temporary_(std::exchange(o.temporary_, {})),
      note_(std::exchange(o.note_, -1)),
      buffer_(std::exchange(o.buffer_, {})) {}

OutputFile& OutputFile::operator=(OutputFile&& o) noexcept {
  if (this == &o) return *this;
  Discard();
  fd_ = std::exchange(o.fd_, -1);
  owned_ = o.owned_;
  target_ = std::move(o.target_);
  temporary_ = std::exchange(o.temporary_, {});
  note_ = std::exchange(o.note_, -1);
  buffer_ = std::exchange(o.buffer_, {});
  return *this;
}

OutputFile::~OutputFile() { Discard(); }

void OutputFile::Discard() {
  if (fd_ >= 0 && owned_) ::close(fd_);
  fd_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  Forget(std::exchange(note_, -1));
}

absl::Status OutputFile::Write(std::string_view text) {
  buffer_.append(text);
  return buffer_.size() < kBuffer ? absl::OkStatus() : Flush();
}

absl::Status OutputFile::Flush() {
  const std::string pending = std::exchange(buffer_, {});
  return WriteToDescriptor(fd_, pending);
}

absl::Status OutputFile::Commit() {
  RETURN_IF_ERROR(Flush());
  if (owned_ && ::close(std::exchange(fd_, -1)) != 0) return ErrnoStatus(errno);
  if (temporary_.empty()) return absl::OkStatus();
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return ErrnoStatus(errno);
  temporary_.clear();
  Forget(std::exchange(note_, -1));
  return absl::OkStatus();
}

}  // namespace ksim::os
