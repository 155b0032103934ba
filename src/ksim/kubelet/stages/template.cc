#include "ksim/kubelet/stages/template.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ksim/kubelet/stages/template_functions.h"
#include "ksim/kubelet/stages/template_node.h"
#include "ksim/value/text.h"

namespace ksim::kubelet {
namespace {

using value::Value;

// exec.go maxExecDepth is about calls; a template here has none, so only loops make it long.
constexpr std::size_t kLongestText = 1 << 20;
constexpr std::int64_t kLongestCount = 10000;  // of a range over a number
constexpr std::size_t kMostSteps = 4 << 20;    // of loops within loops

class TemplateRun {
 public:
  TemplateRun(const Value& object, const TemplateWorld& world)
      : world_(world), root_(Datum::OfObject(object)) {
    variables_.emplace_back("$", root_);
  }

  bool Run(const TemplateNode& root) { return List(root.children, root_); }
  const std::string& text() const { return out_; }
  const std::string& error() const { return error_; }
  std::size_t error_at() const { return error_at_; }

 private:
  using Nodes = std::vector<std::shared_ptr<const TemplateNode>>;
  enum class Leave { kNo, kBreak, kContinue };

  bool Fail(std::size_t at, std::string message) {
    if (!error_.empty()) return false;
    error_ = std::move(message);
    error_at_ = at;
    return false;
  }

  bool Step(const TemplateNode& node) {
    return ++steps_ <= kMostSteps || Fail(node.offset, "its loops go round millions of times");
  }

  // Stops early at a {{break}} or {{continue}}, which is in leave_.
  bool List(const Nodes& nodes, const Datum& dot) {
    for (const auto& node : nodes) {
      if (!Walk(*node, dot)) return false;
      if (leave_ != Leave::kNo) return true;
    }
    return true;
  }

  bool Walk(const TemplateNode& node, const Datum& dot) {
    if (!Step(node)) return false;
    switch (node.kind) {
      case TemplateNode::Kind::kList:
        return List(node.children, dot);
      case TemplateNode::Kind::kText:
        return Append(node, node.text);
      case TemplateNode::Kind::kAction: {
        Datum value;
        if (!Pipe(node.pipe, dot, &value)) return false;
        return !node.pipe.variables.empty() || Append(node, PrintedByTemplate(value));
      }
      case TemplateNode::Kind::kIf:
      case TemplateNode::Kind::kWith:
        return Branch(node, dot);
      case TemplateNode::Kind::kRange:
        return Range(node, dot);
      case TemplateNode::Kind::kBreak:
        leave_ = Leave::kBreak;
        return true;
      case TemplateNode::Kind::kContinue:
        leave_ = Leave::kContinue;
        return true;
    }
    return false;
  }

  bool Append(const TemplateNode& node, std::string_view text) {
    out_ += text;
    return out_.size() <= kLongestText || Fail(node.offset, "it makes more than 1 MiB of text");
  }

  bool Branch(const TemplateNode& node, const Datum& dot) {
    const std::size_t scope = variables_.size();
    Datum value;
    if (!Pipe(node.pipe, dot, &value)) return false;
    const bool holds = IsTrueToTemplate(value);
    const bool with = node.kind == TemplateNode::Kind::kWith;
    const bool good = holds ? List(node.children, with ? value : dot) : List(node.otherwise, dot);
    variables_.resize(scope);
    return good;
  }

  bool Range(const TemplateNode& node, const Datum& dot) {
    const std::size_t scope = variables_.size();
    Datum over;
    if (!ValueOf(node.pipe, dot, &over)) return false;
    std::vector<std::pair<Datum, Datum>> items;
    if (!ItemsOf(node, over, &items)) return false;
    bool good = true;
    for (const auto& [key, item] : items) {
      const std::size_t inner = variables_.size();
      SetRangeVariables(node.pipe, key, item);
      good = Step(node) && List(node.children, item);
      variables_.resize(inner);
      const bool breaks = leave_ == Leave::kBreak;
      leave_ = Leave::kNo;
      if (!good || breaks) break;
    }
    if (good && items.empty()) good = List(node.otherwise, dot);
    variables_.resize(scope);
    return good;
  }

  bool ItemsOf(const TemplateNode& node, const Datum& over,
               std::vector<std::pair<Datum, Datum>>* items) {
    const Value& v = over.value;
    const auto part = [&](const Value& of) {
      Datum d(of);
      d.of_object = over.of_object;
      return d;
    };
    if (over.missing || v.is_null()) return true;
    if (v.is_int() && !over.of_object) {
      if (v.AsInt() > kLongestCount) return Fail(node.offset, "range over too large a number");
      for (std::int64_t i = 0; i < v.AsInt(); ++i)
        items->emplace_back(Datum(Value::Int(i)), Datum(Value::Int(i)));
      return true;
    }
    if (!v.is_array() && !v.is_object())
      return Fail(node.offset, fmt::format("range can't iterate over {}", PrintedByTemplate(over)));
    for (std::size_t i = 0; v.is_array() && i < v.size(); ++i)
      items->emplace_back(Datum(Value::Int(static_cast<std::int64_t>(i))), part(v.at(i)));
    for (const Value::Member& m : v.members())
      items->emplace_back(Datum(Value::Of(m.name.text())), part(m.value));
    return true;
  }

  void SetRangeVariables(const TemplatePipe& pipe, const Datum& key, const Datum& item) {
    if (pipe.variables.size() == 1) SetVariable(pipe, 0, item);
    if (pipe.variables.size() == 2) {
      SetVariable(pipe, 0, key);
      SetVariable(pipe, 1, item);
    }
  }

  void SetVariable(const TemplatePipe& pipe, std::size_t which, const Datum& value) {
    const std::string& name = pipe.variables[which];
    if (!pipe.assigns) {
      variables_.emplace_back(name, value);
      return;
    }
    if (Datum* variable = FindVariable(name)) *variable = value;
  }
  Datum* FindVariable(const std::string& name) {
    const auto it = std::find_if(variables_.rbegin(), variables_.rend(),
                                 [&](const auto& v) { return v.first == name; });
    return it == variables_.rend() ? nullptr : &it->second;
  }

  bool Pipe(const TemplatePipe& pipe, const Datum& dot, Datum* out) {
    if (!ValueOf(pipe, dot, out)) return false;
    if (!pipe.variables.empty()) SetVariable(pipe, 0, *out);
    return true;
  }

  // The same, but for the variables: a range sets them at each item.
  bool ValueOf(const TemplatePipe& pipe, const Datum& dot, Datum* out) {
    for (std::size_t i = 0; i < pipe.commands.size(); ++i) {
      Datum value;
      if (!Command(pipe.commands[i], dot, i == 0 ? nullptr : out, &value)) return false;
      *out = std::move(value);
    }
    return true;
  }

  bool Command(const TemplateCommand& command, const Datum& dot, const Datum* last, Datum* out) {
    const TemplateOperand& first = command.operands.front();
    if (first.kind != TemplateOperand::Kind::kFunction) return Operand(first, dot, out);
    const std::string_view name = first.function->name;
    const bool stops_at = name == "or";
    const bool lazy = name == "or" || name == "and";
    std::vector<Datum> arguments;
    for (std::size_t i = 1; i < command.operands.size(); ++i) {
      Datum argument;
      if (!Operand(command.operands[i], dot, &argument)) return false;
      arguments.push_back(std::move(argument));
      // or and and look no further than they must.
      if (!lazy || IsTrueToTemplate(arguments.back()) != stops_at) continue;
      *out = arguments.back();
      return true;
    }
    if (last != nullptr) arguments.push_back(*last);
    if (!lazy) return Call(first, std::move(arguments), out);
    *out = arguments.back();
    return true;
  }

  bool Call(const TemplateOperand& operand, std::vector<Datum> arguments, Datum* out) {
    TemplateCall call(world_, arguments);
    operand.function->call(call);
    if (!call.error.empty())
      return Fail(operand.offset,
                  fmt::format("error calling {}: {}", operand.function->name, call.error));
    *out = std::move(call.result);
    return true;
  }

  bool Operand(const TemplateOperand& operand, const Datum& dot, Datum* out) {
    switch (operand.kind) {
      case TemplateOperand::Kind::kDot:
        *out = dot;
        break;
      case TemplateOperand::Kind::kLiteral:
        *out = operand.literal;
        break;
      case TemplateOperand::Kind::kVariable: {
        const Datum* variable = FindVariable(operand.name);
        if (variable == nullptr)
          return Fail(operand.offset, fmt::format("undefined variable: {}", operand.name));
        *out = *variable;
        break;
      }
      case TemplateOperand::Kind::kFunction:
        if (!Call(operand, {}, out)) return false;
        break;
      case TemplateOperand::Kind::kPipe:
        if (!Pipe(*operand.pipe, dot, out)) return false;
        break;
    }
    for (const std::string& field : operand.fields)
      if (!Field(operand, field, out)) return false;
    return true;
  }

  // A field of nothing is nothing (missingkey=default); one of a string or a list is an error.
  bool Field(const TemplateOperand& operand, const std::string& name, Datum* of) {
    const Value v = of->value;
    if (of->missing || v.is_null()) {
      *of = Datum::Missing();
      return true;
    }
    if (!v.is_object())
      return Fail(operand.offset,
                  fmt::format("can't evaluate field {} in type {}", name, TemplateTypeName(*of)));
    if (!v.Has(name)) {
      *of = Datum::Missing();
      return true;
    }
    of->value = v.Get(name);
    return true;
  }

  const TemplateWorld& world_;
  Datum root_;
  std::vector<std::pair<std::string, Datum>> variables_;
  Leave leave_ = Leave::kNo;
  std::size_t steps_ = 0;
  std::string out_;
  std::string error_;
  std::size_t error_at_ = 0;
};

}  // namespace

absl::StatusOr<std::string> Template::Render(const Value& object,
                                             const TemplateWorld& world) const {
  TemplateRun run(object, world);
  if (run.Run(*root_)) return run.text();
  return value::InvalidText(
      fmt::format("line {}: {}", value::PlaceOf(*text_, run.error_at()).line, run.error()));
}

}  // namespace ksim::kubelet
