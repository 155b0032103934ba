// TemplateNode: a part of a parsed template, and Datum, a value of a running one. For template*.cc
// alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ksim/value/value.h"

namespace ksim::kubelet {

struct TemplateFunction;  // template_functions.h

// A value as a template sees it.
struct Datum {
  Datum() = default;
  explicit Datum(value::Value v) : value(std::move(v)) {}
  static Datum Missing() {
    Datum d;
    d.missing = true;
    return d;
  }
  static Datum OfObject(value::Value v) {
    Datum d(std::move(v));
    d.of_object = true;
    return d;
  }
  value::Value value;
  bool missing = false;  // no value: a field that is not there
  // Part of the object: its numbers are json.Number to Go, which is a string with digits.
  bool of_object = false;
};

struct TemplatePipe;

struct TemplateOperand {
  enum class Kind : std::uint8_t { kDot, kVariable, kLiteral, kFunction, kPipe };
  TemplateOperand() = default;
  Kind kind = Kind::kDot;
  std::size_t offset = 0;
  std::string name;  // of a variable, with its $
  Datum literal;
  const TemplateFunction* function = nullptr;
  std::shared_ptr<const TemplatePipe> pipe;
  std::vector<std::string> fields;  // .a.b after it
};

struct TemplateCommand {
  std::vector<TemplateOperand> operands;
};

struct TemplatePipe {
  TemplatePipe() = default;
  std::size_t offset = 0;
  std::vector<std::string> variables;  // $x := or $x =; a range may have two
  bool assigns = false;                // =
  std::vector<TemplateCommand> commands;
};

struct TemplateNode {
  enum class Kind : std::uint8_t { kList, kText, kAction, kIf, kWith, kRange, kBreak, kContinue };
  TemplateNode() = default;
  TemplateNode(Kind k, std::size_t at) : kind(k), offset(at) {}
  Kind kind = Kind::kList;
  std::size_t offset = 0;
  std::string text;
  TemplatePipe pipe;
  std::vector<std::shared_ptr<const TemplateNode>> children;   // of a list, and of a body
  std::vector<std::shared_ptr<const TemplateNode>> otherwise;  // {{else}}
};

}  // namespace ksim::kubelet
