// Jq::Parse: jq's grammar, from the weakest operator to the strongest: | , // or and comparison.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "ksim/base/diagnostic.h"
#include "ksim/kubelet/stages/jq.h"
#include "ksim/kubelet/stages/jq_node.h"
#include "ksim/value/json.h"

namespace ksim::kubelet {
namespace {

constexpr int kDeepestJq = 100;
constexpr std::size_t kLongestJq = 10000;

constexpr JqFunction kJqFunctions[] = {
    {"all", 0, 1},        {"any", 0, 1},      {"ascii_downcase", 0, 0}, {"contains", 1, 1},
    {"empty", 0, 0},      {"endswith", 1, 1}, {"false", 0, 0},          {"first", 0, 1},
    {"has", 1, 1},        {"keys", 0, 0},     {"last", 0, 0},           {"length", 0, 0},
    {"map", 1, 1},        {"not", 0, 0},      {"null", 0, 0},           {"select", 1, 1},
    {"startswith", 1, 1}, {"tonumber", 0, 0}, {"tostring", 0, 0},       {"true", 0, 0},
    {"type", 0, 0}};

using JqNodePtr = std::shared_ptr<const JqNode>;

bool IsJqLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsJqDigit(char c) { return c >= '0' && c <= '9'; }

class JqParser {
 public:
  JqParser(std::string_view text, TextProblem* problem) : text_(text), problem_(problem) {}

  JqNodePtr Parse() {
    if (text_.size() > kLongestJq) return Fail("the jq expression is too long");
    JqNodePtr node = Pipe();
    if (node == nullptr) return nullptr;
    if (Skip(); at_ < text_.size()) return Fail(Unexpected());
    return node;
  }

 private:
  JqNodePtr Fail(std::string message, std::string hint = "") {
    if (!problem_->message.empty()) return nullptr;
    problem_->offset = std::min(at_, text_.empty() ? 0 : text_.size() - 1);
    problem_->message = std::move(message);
    problem_->hint = std::move(hint);
    return nullptr;
  }

  std::string Unexpected() const {
    if (at_ >= text_.size()) return "the jq expression ends too soon";
    const char c = text_[at_];
    if (c == '+' || c == '-' || c == '*' || c == '/' || c == '%')
      return fmt::format("jq's arithmetic (\"{}\") is not read here", c);
    if (c == '$') return "jq's variables are not read here";
    if (c == '@') return "jq's formats (@text, @json, ...) are not read here";
    if (c == '{') return "jq's object constructors are not read here";
    return fmt::format("\"{}\" is not expected in the jq expression here", c);
  }

  void Skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }
  bool Take(std::string_view token) {
    Skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool TakeWord(std::string_view word) {
    Skip();
    const std::size_t end = at_ + word.size();
    if (!text_.substr(at_).starts_with(word)) return false;
    if (end < text_.size() && (IsJqLetter(text_[end]) || IsJqDigit(text_[end]))) return false;
    at_ = end;
    return true;
  }

  static JqNodePtr Make(JqNode::Kind kind, JqNodePtr a, JqNodePtr b, std::string text = "") {
    auto node = std::make_shared<JqNode>(kind);
    node->text = std::move(text);
    node->children = {std::move(a), std::move(b)};
    return node;
  }

  JqNodePtr Pipe() {
    if (++depth_ > kDeepestJq) return Fail("the jq expression is too deep");
    JqNodePtr left = Comma();
    if (left != nullptr && Take("|")) {
      JqNodePtr right = Pipe();
      left = right == nullptr ? nullptr : Make(JqNode::Kind::kPipe, left, right);
    }
    --depth_;
    return left;
  }

  JqNodePtr Comma() {
    JqNodePtr left = Alternative();
    while (left != nullptr && Take(",")) {
      JqNodePtr right = Alternative();
      if (right == nullptr) return nullptr;
      left = Make(JqNode::Kind::kComma, left, right);
    }
    return left;
  }

  JqNodePtr Alternative() {
    JqNodePtr left = Or();
    if (left == nullptr || !Take("//")) return left;
    JqNodePtr right = Alternative();
    return right == nullptr ? nullptr : Make(JqNode::Kind::kAlternative, left, right);
  }

  JqNodePtr Or() {
    JqNodePtr left = And();
    while (left != nullptr && TakeWord("or")) {
      JqNodePtr right = And();
      if (right == nullptr) return nullptr;
      left = Make(JqNode::Kind::kOr, left, right);
    }
    return left;
  }

  JqNodePtr And() {
    JqNodePtr left = Compare();
    while (left != nullptr && TakeWord("and")) {
      JqNodePtr right = Compare();
      if (right == nullptr) return nullptr;
      left = Make(JqNode::Kind::kAnd, left, right);
    }
    return left;
  }

  JqNodePtr Compare() {
    JqNodePtr left = Postfix();
    if (left == nullptr) return nullptr;
    static constexpr std::string_view kOperators[] = {"==", "!=", "<=", ">=", "<", ">"};
    for (const std::string_view op : kOperators) {
      if (!Take(op)) continue;
      JqNodePtr right = Postfix();
      if (right == nullptr) return nullptr;
      return Make(JqNode::Kind::kCompare, left, right, std::string(op));
    }
    return left;
  }

  JqNodePtr Postfix() {
    JqNodePtr node = Term();
    while (node != nullptr) {
      if (Take("?")) {
        node = Make(JqNode::Kind::kTry, node, nullptr);
      } else if (Take("[")) {
        node = Bracket(node);
      } else if (At('.')) {
        ++at_;
        node = AfterDot(node);
      } else {
        return node;
      }
    }
    return node;
  }

  // A '.' that follows a term directly.
  bool At(char c) const { return at_ < text_.size() && text_[at_] == c; }

  // Behind the dot: a name, a name in quotes, or brackets.
  JqNodePtr AfterDot(JqNodePtr of) {
    if (At('.')) return Fail("jq's \"..\" is not read here");
    if (At('[')) {
      ++at_;
      return Bracket(of);
    }
    if (At('"')) {
      value::Value name;
      if (!String(&name)) return nullptr;
      return Field(of, std::string(name.AsString()));
    }
    const std::size_t start = at_;
    while (at_ < text_.size() && (IsJqLetter(text_[at_]) || (at_ > start && IsJqDigit(text_[at_]))))
      ++at_;
    if (at_ == start) return Fail(Unexpected(), "write a field: .status.phase, .[0], .[\"a.b/c\"]");
    return Field(of, std::string(text_.substr(start, at_ - start)));
  }

  static JqNodePtr Field(JqNodePtr of, std::string name) {
    auto node = std::make_shared<JqNode>(JqNode::Kind::kField);
    node->text = std::move(name);
    node->children = {std::move(of)};
    return node;
  }

  // Behind the bracket.
  JqNodePtr Bracket(JqNodePtr of) {
    if (Take("]")) return Make(JqNode::Kind::kIterate, of, nullptr);
    if (Skip(); At(':')) return Fail("jq's slices are not read here");
    JqNodePtr index = Pipe();
    if (index == nullptr) return nullptr;
    if (Skip(); At(':')) return Fail("jq's slices are not read here");
    if (!Take("]")) return Fail("\"]\" is missing in the jq expression");
    return Make(JqNode::Kind::kIndex, of, index);
  }

  JqNodePtr Term() {
    Skip();
    if (at_ >= text_.size()) return Fail(Unexpected());
    const char c = text_[at_];
    if (c == '.') return DotTerm();
    if (c == '"') {
      value::Value text;
      return String(&text) ? Literal(text) : nullptr;
    }
    if (IsJqDigit(c) || c == '-') return Number();
    if (Take("(")) {
      JqNodePtr inner = Pipe();
      if (inner == nullptr) return nullptr;
      return Take(")") ? inner : Fail("\")\" is missing in the jq expression");
    }
    if (Take("[")) return Array();
    if (IsJqLetter(c)) return Call();
    return Fail(Unexpected());
  }

  JqNodePtr DotTerm() {
    ++at_;
    auto identity = std::make_shared<JqNode>(JqNode::Kind::kIdentity);
    const bool alone = at_ >= text_.size() || !(IsJqLetter(text_[at_]) || text_[at_] == '[' ||
                                                text_[at_] == '"' || text_[at_] == '.');
    return alone ? identity : AfterDot(identity);
  }

  static JqNodePtr Literal(value::Value v) {
    auto node = std::make_shared<JqNode>(JqNode::Kind::kLiteral);
    node->literal = std::move(v);
    return node;
  }

  bool String(value::Value* out) {
    const std::size_t start = at_++;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && text_.substr(at_ + 1).starts_with('(')) {
        Fail("jq's string interpolation is not read here");
        return false;
      }
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    if (at_ >= text_.size()) {
      at_ = start;
      Fail("the string does not end");
      return false;
    }
    const absl::StatusOr<value::Value> parsed =
        value::ParseJson(text_.substr(start, ++at_ - start));
    if (!parsed.ok()) {
      at_ = start;
      Fail("this is no string of JSON");
      return false;
    }
    *out = *parsed;
    return true;
  }

  JqNodePtr Number() {
    const std::size_t start = at_;
    if (At('-')) ++at_;
    while (at_ < text_.size() && IsJqDigit(text_[at_])) ++at_;
    std::int64_t number = 0;
    const char* end = text_.data() + at_;
    const auto [stop, error] = std::from_chars(text_.data() + start, end, number);
    const bool goes_on = at_ < text_.size() && (text_[at_] == '.' || IsJqLetter(text_[at_]));
    if (error == std::errc() && stop == end && !goes_on) return Literal(value::Value::Int(number));
    at_ = start;
    return Fail(text_[start] == '-' ? "jq's arithmetic (\"-\") is not read here"
                                    : "of numbers only whole ones are read here");
  }

  JqNodePtr Array() {
    auto node = std::make_shared<JqNode>(JqNode::Kind::kArray);
    if (Take("]")) return node;
    JqNodePtr inner = Pipe();
    if (inner == nullptr) return nullptr;
    if (!Take("]")) return Fail("\"]\" is missing in the jq expression");
    node->children = {inner};
    return node;
  }

  JqNodePtr Call() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (IsJqLetter(text_[at_]) || IsJqDigit(text_[at_]))) ++at_;
    const std::string name(text_.substr(start, at_ - start));
    const JqFunction* function = FindJqFunction(name);
    if (function == nullptr) {
      at_ = start;
      const std::string near = Nearest(name, JqFunctionNames());
      return Fail(fmt::format("jq's \"{}\" is not read here", name),
                  near.empty()
                      ? fmt::format("functions are: {}", fmt::join(JqFunctionNames(), ", "))
                      : fmt::format("did you mean \"{}\"?", near));
    }
    if (name == "true" || name == "false") return Literal(value::Value::Bool(name == "true"));
    if (name == "null") return Literal(value::Value());
    auto node = std::make_shared<JqNode>(JqNode::Kind::kCall);
    node->text = name;
    if (Take("(")) {
      do {
        JqNodePtr argument = Pipe();
        if (argument == nullptr) return nullptr;
        node->children.push_back(argument);
      } while (Take(";"));
      if (!Take(")")) return Fail("\")\" is missing in the jq expression");
    }
    const int given = static_cast<int>(node->children.size());
    if (given >= function->fewest && given <= function->most) return node;
    at_ = start;
    return Fail(fmt::format("jq's \"{}\" takes {} argument{}, got {}", name, function->fewest,
                            function->fewest == 1 ? "" : "s", given));
  }

  std::string_view text_;
  TextProblem* problem_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

const JqFunction* FindJqFunction(std::string_view name) {
  const auto* it = std::find_if(std::begin(kJqFunctions), std::end(kJqFunctions),
                                [&](const JqFunction& f) { return f.name == name; });
  return it == std::end(kJqFunctions) ? nullptr : it;
}

std::vector<std::string_view> JqFunctionNames() {
  std::vector<std::string_view> out;
  for (const JqFunction& f : kJqFunctions) out.push_back(f.name);
  return out;
}

bool Jq::Parse(std::string_view text, Jq* jq, TextProblem* problem) {
  *problem = TextProblem();
  jq->root_ = JqParser(text, problem).Parse();
  return jq->root_ != nullptr;
}

}  // namespace ksim::kubelet
