// Template: the part of Go's text/template that Stages are written in, with the functions that KWOK
// and sprig add to it, as far as they have one answer. An action, a function or a number of
// arguments that is outside of it is refused when the template is read.
//
// Source: text/template parse/parse.go, exec.go, funcs.go; kwok pkg/utils/gotpl renderer.go,
// funcs.go; github.com/Masterminds/sprig.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/kubelet/stages/text_problem.h"
#include "ksim/value/value.h"

namespace ksim::kubelet {

struct TemplateNode;  // template_node.h

// The world around a template, as its functions tell of it.
struct TemplateWorld {
  TemplateWorld() = default;
  std::string now;         // RFC 3339
  std::string start_time;  // of the kubelet
  std::string node_ip;
  std::function<std::string()> pod_ip;  // asked only if a template wants it
};

class Template {
 public:
  Template() = default;
  static bool Parse(std::string_view text, Template* out, TextProblem* problem);
  // InvalidArgument: what went wrong while it ran, as "line 3: ...".
  absl::StatusOr<std::string> Render(const value::Value& object, const TemplateWorld& world) const;

 private:
  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const TemplateNode> root_;
};

}  // namespace ksim::kubelet
