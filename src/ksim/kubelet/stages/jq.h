// Jq: the part of jq that Stages are written in: paths, iteration, pipes, select, comparisons and a
// few functions. Whatever is outside of it is refused when it is read, and never means nothing.
//
// Source: github.com/itchyny/gojq, which KWOK runs; kwok pkg/utils/expression/query.go.
#pragma once
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/kubelet/stages/text_problem.h"
#include "ksim/value/value.h"

namespace ksim::kubelet {

struct JqNode;  // jq_node.h

class Jq {
 public:
  struct Output {
    Output() = default;
    Output(value::Value v, bool c) : value(std::move(v)), computed(c) {}
    value::Value value;
    // The expression worked it out; false: it stands in the input. A number of the input is a
    // float64 to KWOK, a computed one an int.
    bool computed = false;
  };

  Jq() = default;
  // False, and the problem, if the text is none or not within the part that is read here.
  static bool Parse(std::string_view text, Jq* jq, TextProblem* problem);

  // All outputs but nulls; none if anything fails on the way (Query.Execute).
  std::vector<Output> Run(const value::Value& input) const;
  // Whether it looks at nothing but what a pod keeps for its whole life: its spec, names, labels,
  // annotations and owners.
  bool IsOfIdentity() const;

 private:
  std::shared_ptr<const JqNode> root_;
};

}  // namespace ksim::kubelet
