// ReadStage: a Stage from the tree of its document. Every field that ksim gives no meaning is a
// problem, with its place.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ksim/kubelet/stages/stage.h"
#include "ksim/value/value.h"

namespace ksim::kubelet {

struct StageProblem {
  StageProblem() = default;
  std::string field;                  // spec.selector.matchExpressions[0].key; "" = the document
  bool at_key = false;                // the name of the field is wrong, not its value
  std::optional<std::size_t> offset;  // in the text of the field
  std::string message, hint;
  bool warning = false;  // the rest goes on as the message says
};

// nullopt: there are errors, or the Stage is for no pods.
std::optional<Stage> ReadStage(const value::Value& tree, std::vector<StageProblem>* problems);

}  // namespace ksim::kubelet
