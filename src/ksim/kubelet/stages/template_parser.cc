// Template::Parse: the text between the actions, and the actions.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ksim/base/diagnostic.h"
#include "ksim/kubelet/stages/template.h"
#include "ksim/kubelet/stages/template_functions.h"
#include "ksim/kubelet/stages/template_node.h"
#include "ksim/value/json.h"
#include "ksim/value/text.h"

namespace ksim::kubelet {
namespace {

using value::Value;

constexpr std::string_view kTemplateSpace = " \t\r\n";
constexpr int kDeepestTemplate = 100;

bool IsTemplateLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsTemplateSpace(char c) { return kTemplateSpace.find(c) != std::string_view::npos; }

using NodeList = std::vector<std::shared_ptr<const TemplateNode>>;

class TemplateParser {
 public:
  TemplateParser(std::string_view text, TextProblem* problem) : text_(text), problem_(problem) {}

  std::shared_ptr<const TemplateNode> Parse() {
    auto root = std::make_shared<TemplateNode>(TemplateNode::Kind::kList, 0);
    variables_ = {"$"};
    if (!List(&root->children)) return nullptr;
    if (end_.empty()) return root;
    return Fail(end_at_, fmt::format("unexpected {{{{{}}}}}", end_)), nullptr;
  }

 private:
  bool Fail(std::size_t at, std::string message, std::string hint = "") {
    if (!problem_->message.empty()) return false;
    problem_->offset = std::min(at, text_.empty() ? 0 : text_.size() - 1);
    problem_->message = std::move(message);
    problem_->hint = std::move(hint);
    return false;
  }

  // --- text and actions ----------------------------------------------------------------------

  // Up to the end of the text, or behind an {{end}} or {{else}}, which is in end_.
  bool List(NodeList* out) {
    if (++depth_ > kDeepestTemplate) return Fail(at_, "the template is too deep");
    end_.clear();
    while (at_ < text_.size()) {
      const std::size_t open = text_.find("{{", at_);
      AddText(text_.substr(at_, open == text_.npos ? text_.npos : open - at_), open, out);
      if (open == text_.npos) {
        at_ = text_.size();
        break;
      }
      at_ = open + 2;
      if (!Action(open, out)) return false;
      if (!end_.empty()) break;
    }
    --depth_;
    return true;
  }

  // The text up to the action at `open`, without the space that "{{- " or " -}}" trims.
  void AddText(std::string_view text, std::size_t open, NodeList* out) {
    if (trim_) text.remove_prefix(std::min(text.find_first_not_of(kTemplateSpace), text.size()));
    trim_ = false;
    const bool trims = open != text_.npos && TrimsBefore(open);
    if (trims) {
      const std::size_t last = text.find_last_not_of(kTemplateSpace);
      text = last == text.npos ? std::string_view() : text.substr(0, last + 1);
    }
    if (text.empty()) return;
    auto node = std::make_shared<TemplateNode>(TemplateNode::Kind::kText, at_);
    node->text = std::string(text);
    out->push_back(std::move(node));
  }
  bool TrimsBefore(std::size_t open) const {
    return open + 3 < text_.size() && text_[open + 2] == '-' && IsTemplateSpace(text_[open + 3]);
  }

  // Behind "{{".
  bool Action(std::size_t open, NodeList* out) {
    open_ = open;
    if (TrimsBefore(open)) ++at_;
    Skip();
    if (text_.substr(at_).starts_with("/*")) return Comment();
    const std::size_t start = at_;
    const std::string word = Word();
    if (word == "end" || word == "else") return End(word, start);
    if (word == "if" || word == "with" || word == "range") return Block(word, start, out);
    if (word == "break" || word == "continue") {
      if (loops_ == 0) return Fail(start, fmt::format("{{{{{}}}}} outside {{{{range}}}}", word));
      out->push_back(std::make_shared<TemplateNode>(
          word == "break" ? TemplateNode::Kind::kBreak : TemplateNode::Kind::kContinue, start));
      return Close();
    }
    if (word == "define" || word == "template" || word == "block")
      return Fail(start, fmt::format("{{{{{}}}}} is not read here", word),
                  "write its text where it is used");
    at_ = start;
    auto node = std::make_shared<TemplateNode>(TemplateNode::Kind::kAction, start);
    if (!Pipe(&node->pipe, false) || !Close()) return false;
    out->push_back(std::move(node));
    return true;
  }

  bool Comment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == text_.npos) return Fail(at_, "the comment does not end");
    at_ = end + 2;
    return Close();
  }

  bool End(const std::string& word, std::size_t start) {
    end_ = word;
    end_at_ = start;
    if (word == "end") return Close();
    // {{else if PIPE}}, {{else with PIPE}}: the block reads on.
    Skip();
    const std::size_t at = at_;
    const std::string next = Word();
    if (next == "if" || next == "with") {
      end_ = "else " + next;
      return true;
    }
    at_ = at;
    return Close();
  }

  // Behind the word.
  bool Block(const std::string& word, std::size_t start, NodeList* out) {
    const bool loop = word == "range";
    auto node = std::make_shared<TemplateNode>(loop             ? TemplateNode::Kind::kRange
                                               : word == "with" ? TemplateNode::Kind::kWith
                                                                : TemplateNode::Kind::kIf,
                                               start);
    const std::size_t scope = variables_.size();
    if (!Pipe(&node->pipe, loop) || !Close()) return false;
    loops_ += loop ? 1 : 0;
    if (!List(&node->children)) return false;
    loops_ -= loop ? 1 : 0;
    const std::string ended = end_;
    if (ended == "else if" || ended == "else with") {
      if (loop) return Fail(end_at_, fmt::format("{{{{{}}}}} of a {{{{range}}}}", ended));
      if (!Block(ended.substr(5), end_at_, &node->otherwise)) return false;
    } else if (ended == "else") {
      if (!List(&node->otherwise)) return false;
      if (end_.starts_with("else")) return Fail(end_at_, "a second {{else}}");
      if (end_ != "end") return Unended(word, start);
    } else if (ended != "end") {
      return Unended(word, start);
    }
    end_.clear();
    variables_.resize(scope);
    out->push_back(std::move(node));
    return true;
  }
  bool Unended(const std::string& word, std::size_t start) {
    return Fail(start, fmt::format("{{{{{}}}}} has no {{{{end}}}}", word));
  }

  bool Close() {
    Skip();
    const bool trims =
        text_.substr(at_).starts_with("-}}") && at_ > 0 && IsTemplateSpace(text_[at_ - 1]);
    if (trims) ++at_;
    if (text_.substr(at_).starts_with("}}")) {
      at_ += 2;
      trim_ = trims;
      return true;
    }
    if (at_ >= text_.size()) return Fail(open_, "the action does not end", "write }} behind it");
    return Fail(at_, fmt::format("\"{}\" is not expected in the action here", text_[at_]));
  }

  // --- pipelines -----------------------------------------------------------------------------

  void Skip() {
    while (at_ < text_.size() && IsTemplateSpace(text_[at_])) ++at_;
  }
  bool IsAt(std::string_view token) const { return text_.substr(at_).starts_with(token); }
  std::string Word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (IsTemplateLetter(text_[at_]) || value::IsDigit(text_[at_])))
      ++at_;
    return std::string(text_.substr(start, at_ - start));
  }
  std::string VariableName() {  // at the $
    ++at_;
    return "$" + Word();
  }

  bool Pipe(TemplatePipe* pipe, bool loop) {
    if (++depth_ > kDeepestTemplate) return Fail(at_, "the template is too deep");
    Skip();
    pipe->offset = at_;
    if (!Declarations(pipe, loop)) return false;
    do {
      TemplateCommand command;
      if (!Command(&command, !pipe->commands.empty())) return false;
      pipe->commands.push_back(std::move(command));
      Skip();
    } while (IsAt("|") && ++at_ > 0);
    if (!pipe->assigns)
      variables_.insert(variables_.end(), pipe->variables.begin(), pipe->variables.end());
    --depth_;
    return true;
  }

  // $x :=, $x =, and of a range also $i, $x :=
  bool Declarations(TemplatePipe* pipe, bool loop) {
    const std::size_t start = at_;
    std::vector<std::string> names;
    while (IsAt("$")) {
      names.push_back(VariableName());
      Skip();
      if (!IsAt(",")) break;
      ++at_;
      Skip();
    }
    const bool declares = IsAt(":=");
    const bool assigns = !declares && IsAt("=");
    if (names.empty() || (!declares && !assigns)) {
      at_ = start;
      return true;
    }
    if (names.size() > (loop ? 2u : 1u))
      return Fail(start, fmt::format("too many variables for {}", loop ? "a range" : "a value"));
    at_ += declares ? 2 : 1;
    pipe->variables = names;
    pipe->assigns = assigns;
    for (const std::string& name : names)
      if (assigns && !IsKnown(name))
        return Fail(start, fmt::format("undefined variable \"{}\"", name));
    return true;
  }
  bool IsKnown(const std::string& name) const {
    return std::find(variables_.begin(), variables_.end(), name) != variables_.end();
  }

  // `piped`: it gets the value of the command before it as its last argument.
  bool Command(TemplateCommand* command, bool piped) {
    while (true) {
      Skip();
      if (at_ >= text_.size() || IsAt("}}") || IsAt("-}}") || IsAt("|") || IsAt(")")) break;
      TemplateOperand operand;
      if (!Operand(&operand)) return false;
      command->operands.push_back(std::move(operand));
      const bool apart = at_ >= text_.size() || IsTemplateSpace(text_[at_]) || IsAt("}}") ||
                         IsAt("|") || IsAt(")");
      if (!apart)
        return Fail(at_, fmt::format("\"{}\" is not expected in the action here", text_[at_]));
    }
    if (command->operands.empty()) return Fail(at_, "a value is missing in the action");
    const TemplateOperand& first = command->operands.front();
    if (first.kind != TemplateOperand::Kind::kFunction) {
      if (piped) return Fail(first.offset, "only a function can follow a |");
      if (command->operands.size() > 1)
        return Fail(command->operands[1].offset, "only a function takes arguments");
      return true;
    }
    const int given = static_cast<int>(command->operands.size()) - (piped ? 0 : 1);
    return CheckArguments(first, given) && CheckOthers(*command);
  }

  // A function among the arguments is called without any.
  bool CheckOthers(const TemplateCommand& command) {
    for (std::size_t i = 1; i < command.operands.size(); ++i)
      if (command.operands[i].kind == TemplateOperand::Kind::kFunction &&
          !CheckArguments(command.operands[i], 0))
        return false;
    return true;
  }
  bool CheckArguments(const TemplateOperand& operand, int given) {
    const TemplateFunction& f = *operand.function;
    if (given >= f.fewest && (f.most < 0 || given <= f.most)) return true;
    const std::string wanted = f.most == f.fewest ? std::to_string(f.fewest)
                               : f.most < 0       ? fmt::format("at least {}", f.fewest)
                                                  : fmt::format("{} to {}", f.fewest, f.most);
    return Fail(operand.offset, fmt::format("wrong number of arguments for {}: it takes {}, got {}",
                                            f.name, wanted, given));
  }

  bool Operand(TemplateOperand* out) {
    out->offset = at_;
    const char c = text_[at_];
    bool good = true;
    if (c == '(') {
      auto pipe = std::make_shared<TemplatePipe>();
      ++at_;
      if (!Pipe(pipe.get(), false)) return false;
      if (!IsAt(")")) return Fail(out->offset, "\"(\" has no \")\"");
      ++at_;
      out->kind = TemplateOperand::Kind::kPipe;
      out->pipe = std::move(pipe);
    } else if (c == '$') {
      out->kind = TemplateOperand::Kind::kVariable;
      out->name = VariableName();
      if (!IsKnown(out->name))
        return Fail(out->offset, fmt::format("undefined variable \"{}\"", out->name));
    } else if (c == '.') {
      out->kind = TemplateOperand::Kind::kDot;
      if (at_ + 1 >= text_.size() || !IsTemplateLetter(text_[at_ + 1])) {
        ++at_;
        return true;
      }
    } else if (c == '"' || c == '`') {
      good = c == '"' ? Quoted(out) : Raw(out);
    } else if (value::IsDigit(c) || c == '-' || c == '+') {
      good = Number(out);
    } else if (IsTemplateLetter(c)) {
      good = Identifier(out);
    } else if (c == '\'') {
      return Fail(at_, "a character constant is not read here", "write a string");
    } else {
      return Fail(at_, fmt::format("\"{}\" is not expected in the action here", c));
    }
    if (!good) return false;
    while (at_ + 1 < text_.size() && text_[at_] == '.' && IsTemplateLetter(text_[at_ + 1])) {
      ++at_;
      out->fields.push_back(Word());
    }
    return true;
  }

  bool Quoted(TemplateOperand* out) {
    const std::size_t start = at_++;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n')
      at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size() || text_[at_] != '"') return Fail(start, "the string does not end");
    const absl::StatusOr<Value> parsed = value::ParseJson(text_.substr(start, ++at_ - start));
    if (!parsed.ok())
      return Fail(start, "this string has an escape that is not read here",
                  "write it between ` and `");
    return Literal(Datum(*parsed), out);
  }
  bool Raw(TemplateOperand* out) {
    const std::size_t start = at_++;
    const std::size_t end = text_.find('`', at_);
    if (end == text_.npos) return Fail(start, "the string does not end");
    at_ = end + 1;
    return Literal(Datum(Value::Of(text_.substr(start + 1, end - start - 1))), out);
  }
  bool Number(TemplateOperand* out) {
    const std::size_t start = at_;
    if (text_[at_] == '+' || text_[at_] == '-') ++at_;
    const std::size_t digits = at_;
    while (at_ < text_.size() && value::IsDigit(text_[at_])) ++at_;
    const std::optional<std::int64_t> number = value::ParseGoInt(text_.substr(start, at_ - start));
    const bool goes_on = at_ < text_.size() && (text_[at_] == '.' || IsTemplateLetter(text_[at_]));
    const bool octal = at_ > digits + 1 && text_[digits] == '0';
    if (!number || goes_on || octal)
      return Fail(start, "of numbers only whole decimal ones are read here");
    return Literal(Datum(Value::Int(*number)), out);
  }
  static bool Literal(Datum d, TemplateOperand* out) {
    out->kind = TemplateOperand::Kind::kLiteral;
    out->literal = std::move(d);
    return true;
  }

  bool Identifier(TemplateOperand* out) {
    const std::string name = Word();
    if (name == "true" || name == "false") return Literal(Datum(Value::Bool(name == "true")), out);
    if (name == "nil") return Literal(Datum(), out);
    out->kind = TemplateOperand::Kind::kFunction;
    out->function = FindTemplateFunction(name);
    if (out->function != nullptr) return true;
    const std::string near = Nearest(name, TemplateFunctionNames());
    return Fail(out->offset, fmt::format("function \"{}\" is not read here", name),
                near.empty() ? "docs/scenarios.md lists the functions that are"
                             : fmt::format("did you mean \"{}\"?", near));
  }

  std::string_view text_;
  TextProblem* problem_;
  std::size_t at_ = 0;
  std::size_t open_ = 0;  // of the action
  bool trim_ = false;     // the action before ended with " -}}"
  std::string end_;       // what ended the list: end, else, else if, else with
  std::size_t end_at_ = 0;
  std::vector<std::string> variables_;
  int loops_ = 0;
  int depth_ = 0;
};

}  // namespace

bool Template::Parse(std::string_view text, Template* out, TextProblem* problem) {
  *problem = TextProblem();
  out->root_ = TemplateParser(text, problem).Parse();
  out->text_ = std::make_shared<const std::string>(text);
  return out->root_ != nullptr;
}

}  // namespace ksim::kubelet
