// The functions that a template may call: Go's own, KWOK's and a part of sprig's. sprig's that draw
// or ask the clock, as randInt or uuidv4, are left out.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/kubelet/stages/template.h"
#include "ksim/kubelet/stages/template_node.h"

namespace ksim::kubelet {

// One call: its arguments, and what comes of it.
struct TemplateCall {
  TemplateCall(const TemplateWorld& w, std::vector<Datum>& a) : world(w), arguments(a) {}
  const TemplateWorld& world;
  std::vector<Datum>& arguments;
  Datum result;
  std::string error;  // "" = none
  // Argument `i` as a string or a whole number; notes the error if it is none.
  std::string Text(std::size_t i);
  std::int64_t Number(std::size_t i);
};

struct TemplateFunction {
  std::string_view name;
  int fewest, most;  // arguments; most -1: any number
  void (*call)(TemplateCall& call);
};

const TemplateFunction* FindTemplateFunction(std::string_view name);
std::vector<std::string_view> TemplateFunctionNames();

// text/template's IsTrue, its printing, and what a type is called.
bool IsTrueToTemplate(const Datum& d);
std::string PrintedByTemplate(const Datum& d);
std::string_view TemplateTypeName(const Datum& d);

}  // namespace ksim::kubelet
