// Overlay: the files that `go build -overlay` shall see in place of the disk's, and modules that
// are nowhere on the disk: the module cache's, which Go lets nobody overlay, with files added.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ksim::guest {

class Overlay {
 public:
  // Files of ours are written to `directory`, which exists.
  explicit Overlay(std::string directory) : directory_(std::move(directory)) {}

  // Go finds `contents` at `path`.
  absl::Status AddText(const std::string& path, std::string_view contents);
  // Go finds the files of `module_directory`, but for tests, below VirtualDirectory(module).
  absl::Status AddModule(const std::string& module, const std::string& module_directory);
  static std::string VirtualDirectory(std::string_view module);

  // Writes overlay.json, and says where.
  absl::StatusOr<std::string> Write() const;

 private:
  absl::Status AddDirectory(const std::string& from, const std::string& to);

  std::string directory_;
  std::map<std::string, std::string> replace_;
};

}  // namespace ksim::guest
