// What a run has to say, whoever ran it: this process or a worker.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/cli/io.h"
#include "ksim/value/value.h"

namespace ksim::cli {

struct Ran {
  Ran() = default;
  void Out(std::string text) { said.emplace_back(false, std::move(text)); }
  void Err(std::string text) { said.emplace_back(true, std::move(text)); }
  void Say(Io& io) const;

  int code = 0;
  std::vector<std::pair<bool, std::string>> said;  // true: to stderr
  std::string complaints;                          // what is wrong, in plain text
  value::Value tree;  // the result, where it is one of several in a document
};

// Across a pipe. InvalidArgument for what Encode did not write.
std::string Encode(const Ran& ran);
absl::StatusOr<Ran> DecodeRan(std::string_view bytes);

}  // namespace ksim::cli
