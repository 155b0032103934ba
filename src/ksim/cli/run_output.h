// RunOutput: the output of one of the runs of `ksim run`, whoever ran it: this process or a worker.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/cli/io.h"
#include "ksim/value/value.h"

namespace ksim::cli {

struct RunOutput {
  RunOutput() = default;
  void Out(std::string text) { texts.emplace_back(false, std::move(text)); }
  void Err(std::string text) { texts.emplace_back(true, std::move(text)); }
  void WriteTo(Io& io) const;

  int code = 0;
  std::vector<std::pair<bool, std::string>> texts;  // true: to stderr
  std::string complaints;                           // what is wrong, in plain text
  value::Value tree;  // the result, where it is one of several in a document
};

// The output as bytes, for a pipe.
std::string Encode(const RunOutput& output);
// InvalidArgument for bytes that Encode did not write.
absl::StatusOr<RunOutput> DecodeRunOutput(std::string_view bytes);

}  // namespace ksim::cli
