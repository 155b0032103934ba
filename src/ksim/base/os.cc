#include "ksim/base/os.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>
#include <thread>

#include "ksim/base/output_file.h"
#include "ksim/base/status.h"

namespace ksim::os {
namespace {

absl::StatusCode CodeOf(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::StatusCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::StatusCode::kPermissionDenied;
    case EISDIR:
      return absl::StatusCode::kFailedPrecondition;
    case EPIPE:
    case EBADF:
      return absl::StatusCode::kCancelled;
    case EEXIST:
      return absl::StatusCode::kAlreadyExists;
    case EDQUOT:
    case EFBIG:
    case ENOSPC:
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

absl::StatusOr<std::string> ReadDescriptor(int fd, std::int64_t most) {
  std::string contents;
  // A large file is not copied each time that the text grows.
  struct stat file{};
  if (::fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_size <= most)
    contents.reserve(static_cast<std::size_t>(file.st_size));
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof(buffer));
    if (n == 0) return contents;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoStatus(errno);
    contents.append(buffer, static_cast<std::size_t>(n));
    if (static_cast<std::int64_t>(contents.size()) > most)
      return absl::ResourceExhaustedError(
          fmt::format("it has more than {} MiB, the most that is read", most >> 20));
  }
}

}  // namespace

absl::Status ErrnoStatus(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return absl::Status(CodeOf(error), text);
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  return ReadFile(path, std::numeric_limits<std::int64_t>::max());
}

absl::StatusOr<std::string> ReadFile(const std::string& path, std::int64_t most) {
  if (path == "-") return ReadDescriptor(STDIN_FILENO, most);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno);
  absl::StatusOr<std::string> contents = ReadDescriptor(fd, most);
  ::close(fd);
  return contents;
}

absl::Status WriteFile(const std::string& path, std::string_view contents) {
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  RETURN_IF_ERROR(file.Write(contents));
  return file.Commit();
}

absl::Status WritePrivateFile(const std::string& path, std::string_view contents) {
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::CreatePrivate(path));
  RETURN_IF_ERROR(file.Write(contents));
  return file.Commit();
}

absl::Status WriteToDescriptor(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoStatus(errno);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ListDirectory(const std::string& path,
                                                       std::string_view suffix) {
  DIR* directory = ::opendir(path.c_str());
  if (directory == nullptr) return ErrnoStatus(errno);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && name.ends_with(suffix)) names.emplace_back(name);
  }
  ::closedir(directory);
  std::sort(names.begin(), names.end());
  return names;
}

bool Exists(const std::string& path) {
  struct stat s;
  return ::stat(path.c_str(), &s) == 0;
}

bool IsDirectory(const std::string& path) {
  struct stat s;
  return ::stat(path.c_str(), &s) == 0 && S_ISDIR(s.st_mode);
}

bool IsRegularFile(const std::string& path) {
  struct stat s;
  return ::stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode);
}

bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat of_a, of_b;
  const bool has_a = ::stat(a.c_str(), &of_a) == 0, has_b = ::stat(b.c_str(), &of_b) == 0;
  if (has_a && has_b)
    return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
  if (has_a != has_b || a == "-" || b == "-") return false;
  std::error_code error;
  return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
}

absl::Status MakeDirectories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return ErrnoStatus(error.value());
  return absl::OkStatus();
}

absl::Status RemoveFile(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
  return ErrnoStatus(errno);
}

absl::Status LinkTo(const std::string& target, const std::string& link) {
  const std::string fresh = fmt::format("{}.{}", link, ProcessId());
  if (::symlink(target.c_str(), fresh.c_str()) != 0) return ErrnoStatus(errno);
  if (::rename(fresh.c_str(), link.c_str()) == 0) return absl::OkStatus();
  const int error = errno;
  ::unlink(fresh.c_str());
  return ErrnoStatus(error);
}

std::optional<std::string> Environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

bool IsTerminal(int fd) { return ::isatty(fd) == 1; }

int TerminalColumns(int fd) {
  struct winsize size = {};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

int ProcessorCount() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

std::int64_t ResidentBytes() {
  const absl::StatusOr<std::string> text = ReadFile("/proc/self/statm");
  if (!text.ok()) return 0;
  const std::size_t space = text->find(' ');
  if (space == std::string::npos) return 0;
  return std::strtoll(text->c_str() + space, nullptr, 10) * ::sysconf(_SC_PAGESIZE);
}

std::string ProgramPath() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

std::int64_t ProcessId() { return ::getpid(); }

std::string HostName() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "localhost";
}

std::vector<std::string> HostAddresses() {
  std::vector<std::string> v4, v6;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return {};
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || (i->ifa_flags & IFF_LOOPBACK) != 0) continue;
    char text[INET6_ADDRSTRLEN] = {};
    if (i->ifa_addr->sa_family == AF_INET) {
      const auto* address = reinterpret_cast<const sockaddr_in*>(i->ifa_addr);
      if (::inet_ntop(AF_INET, &address->sin_addr, text, sizeof(text)) != nullptr)
        v4.emplace_back(text);
    } else if (i->ifa_addr->sa_family == AF_INET6) {
      const auto* address = reinterpret_cast<const sockaddr_in6*>(i->ifa_addr);
      if (IN6_IS_ADDR_LINKLOCAL(&address->sin6_addr)) continue;
      if (::inet_ntop(AF_INET6, &address->sin6_addr, text, sizeof(text)) != nullptr)
        v6.emplace_back(text);
    }
  }
  ::freeifaddrs(all);
  v4.insert(v4.end(), v6.begin(), v6.end());
  return v4;
}

Duration MonotonicNow() {
  timespec t;
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return Seconds(t.tv_sec) + Nanoseconds(t.tv_nsec);
}

std::int64_t WallClockUnixSeconds() {
  timespec t;
  ::clock_gettime(CLOCK_REALTIME, &t);
  return t.tv_sec;
}

}  // namespace ksim::os
