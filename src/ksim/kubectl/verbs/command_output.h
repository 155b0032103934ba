// CommandOutput: the lines of a kubectl command, and how it ended.
#pragma once
#include <string>
#include <vector>

namespace ksim::kubectl {

struct CommandOutput {
  CommandOutput() = default;
  std::vector<std::string> lines;  // replicaset.apps/my-replicaset created
  std::string error;               // as kubectl words it; "" = done
  bool ok() const { return error.empty(); }
};

}  // namespace ksim::kubectl
