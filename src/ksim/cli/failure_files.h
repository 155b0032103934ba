// The files of a failure's directory: there as a whole, or not at all.
#pragma once
#include <functional>
#include <string>

#include "absl/status/status.h"

namespace ksim::cli {

inline constexpr const char* kFailureFiles[] = {"scenario.yaml", "trace.jsonl", "README.md"};

// `write` writes them into the directory it is given, which is beside `dir`; when that went well
// they take the place of those in `dir`. Otherwise `dir` stays as it is.
absl::Status WriteWhole(const std::string& dir,
                        const std::function<absl::Status(const std::string&)>& write);

// What a user has put beside them stays, and then the directory too.
void RemoveFailure(const std::string& dir);

}  // namespace ksim::cli
