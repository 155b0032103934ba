// Edits of Go's own files: small replacements, each of which checks by its text that it fits.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ksim::guest {

struct Edit {
  int line = 0;      // where it stands in the list of edits, 1-based
  std::string text;  // must be in the file exactly once
  std::string replacement;
};

struct FileEdits {
  std::string path;  // below GOROOT: src/runtime/lock_wasip1.go
  std::vector<Edit> edits;
};

// Reads lines `file PATH`, and below it any number of `replace`, lines, `with`, lines, `end`.
// Comments begin with # between them. InvalidArgument says "line N: what".
absl::StatusOr<std::vector<FileEdits>> ReadEdits(std::string_view text);

// The file with all edits made, in their order. FailedPrecondition if the text of one is not there
// exactly once; it says how often it is, and how the text begins.
absl::StatusOr<std::string> ApplyEdits(const FileEdits& file, std::string_view contents);

}  // namespace ksim::guest
