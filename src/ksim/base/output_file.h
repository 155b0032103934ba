// OutputFile: a file that appears whole or not at all.
#pragma once
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ksim::os {

// Writes into a temporary file beside the target; Commit renames it into place, destruction without
// Commit removes it. "-" is standard output, and what is not a regular file (a pipe, /dev/null) is
// written directly. A symbolic link stays one: its target is replaced. Move-only.
class OutputFile {
 public:
  static absl::StatusOr<OutputFile> Create(const std::string& path);
  // For secrets: nobody but its owner may read the file, whoever could before.
  static absl::StatusOr<OutputFile> CreatePrivate(const std::string& path);
  // Empties the file and writes right into it: whoever reads it meanwhile, or after a crash, finds
  // what was written so far.
  static absl::StatusOr<OutputFile> CreateInPlace(const std::string& path);
  OutputFile(OutputFile&& o) noexcept;
  OutputFile& operator=(OutputFile&& o) noexcept;
  ~OutputFile();

  absl::Status Write(std::string_view text);  // buffered
  absl::Status Flush();                       // writes the buffer
  absl::Status Commit();                      // once; nothing may be written afterwards

 private:
  OutputFile() = default;
  static absl::StatusOr<OutputFile> CreateFor(const std::string& path, bool owner_only);
  void Discard();

  int fd_ = -1;
  bool owned_ = false;     // close fd_ at the end
  std::string target_;     // "" = written directly
  std::string temporary_;  // "" = nothing to remove
  int note_ = -1;          // for RemoveUnfinished
  std::string buffer_;
};

// The error that writing the file would end with, as far as it can be known before. Leaves nothing
// behind, and opens no pipe.
absl::Status CheckWritable(const std::string& path);

// Removes the temporary files that this process has begun: for who ends it without destructors. May
// be called by a signal handler.
void RemoveUnfinished();

}  // namespace ksim::os
