// The outside world: files, environment, terminal and the real clock. Nothing else in ksim touches
// them, so nothing else can make a run depend on the machine. What comes from here may steer what
// is read, shown or when to give up; never what happens inside a simulation.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/base/time.h"

namespace ksim::os {

// The whole file; "-" reads standard input. Errors carry no path ("no such file or directory"), so
// that a caller can put `path: error: ` before: NotFound, PermissionDenied, FailedPrecondition (a
// directory), Unavailable for the rest.
absl::StatusOr<std::string> ReadFile(const std::string& path);
// The same of at most so many bytes; ResourceExhausted if there are more.
absl::StatusOr<std::string> ReadFile(const std::string& path, std::int64_t most);

// All or nothing: the file has its old contents or the new ones, also after a crash in the middle.
// "-" writes standard output. See output_file.h for writing piece by piece.
absl::Status WriteFile(const std::string& path, std::string_view contents);
// The same of a secret: nobody but the file's owner may read it.
absl::Status WritePrivateFile(const std::string& path, std::string_view contents);

// Writes all of `text`. Cancelled when the reader is gone (a closed pipe) or never was (no such
// descriptor).
absl::Status WriteToDescriptor(int fd, std::string_view text);
inline bool NobodyReads(const absl::Status& status) { return absl::IsCancelled(status); }

// Names (not paths) in a directory whose name ends in `suffix`, sorted by bytes; without . and ..
absl::StatusOr<std::vector<std::string>> ListDirectory(const std::string& path,
                                                       std::string_view suffix = {});
bool Exists(const std::string& path);
bool IsDirectory(const std::string& path);
bool IsRegularFile(const std::string& path);  // no directory, pipe, socket or device
// Whether both are one file of the disk, by whatever names; false for devices, pipes, and "-".
bool IsSameFile(const std::string& a, const std::string& b);
absl::Status MakeDirectories(const std::string& path);  // like mkdir -p
absl::Status RemoveFile(const std::string& path);       // OK when there is none
// Makes `link` a symbolic link to `target`, in place of the one that may be there.
absl::Status LinkTo(const std::string& target, const std::string& link);

std::optional<std::string> Environment(const std::string& name);
bool IsTerminal(int fd);
int TerminalColumns(int fd);   // 80 where nobody knows
int ProcessorCount();          // at least 1
std::int64_t ResidentBytes();  // of this process; 0 when the system does not tell

std::string ProgramPath();  // of this process, without symbolic links; "" when nobody knows
std::int64_t ProcessId();

// The machine's name, and the addresses of its network interfaces but the loopback's and those that
// are good on one link only, in the system's order, IPv4 first.
std::string HostName();
std::vector<std::string> HostAddresses();

Duration MonotonicNow();  // since some fixed moment; for measuring and giving up only
std::int64_t WallClockUnixSeconds();

// The status of a failed system call: errno's code and text.
absl::Status ErrnoStatus(int error);

}  // namespace ksim::os
