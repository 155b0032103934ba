// MappedFile: the content of a file where the machine keeps it: a large one is neither copied nor
// does it take memory of its own. Whoever makes the file shorter meanwhile ends the process.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace ksim::os {

class MappedFile {
 public:
  // NotFound, or what else the machine says.
  static absl::StatusOr<std::unique_ptr<MappedFile>> Open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view content() const { return content_; }

 private:
  explicit MappedFile(std::string_view content) : content_(content) {}
  std::string_view content_;
};

}  // namespace ksim::os
