#include "ksim/value/where.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/status.h"
#include "ksim/value/json.h"
#include "ksim/value/selection.h"
#include "ksim/value/text.h"
#include "ksim/value/yaml_schema.h"

namespace ksim::value {
namespace {

using Op = Where::Op;

struct OperatorSymbol {
  std::string_view text;
  Op op;
};
// Longer ones first.
constexpr OperatorSymbol kOperatorSymbols[] = {{"==", Op::kEq}, {"!=", Op::kNe}, {"<=", Op::kLe},
                                               {">=", Op::kGe}, {"<", Op::kLt},  {">", Op::kGt}};

std::string_view OperatorText(Op op) {
  if (op == Op::kExists) return "exists";
  if (op == Op::kIn) return "in";
  for (const OperatorSymbol& s : kOperatorSymbols) {
    if (s.op == op) return s.text;
  }
  return "";
}

bool IsWhereSpace(char c) { return c == ' ' || c == '\t' || c == '\n'; }

class WhereParser {
 public:
  explicit WhereParser(std::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<Where::Term>> Parse() {
    std::vector<Where::Term> terms;
    do {
      Where::Term term;
      RETURN_IF_ERROR(ParseTerm(&term));
      terms.push_back(std::move(term));
      SkipSpace();
    } while (Take("&&"));
    if (at_ < text_.size()) return Error("expected && or the end");
    return terms;
  }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  std::string_view Rest() const { return text_.substr(at_); }
  void SkipSpace() {
    while (at_ < text_.size() && IsWhereSpace(text_[at_])) ++at_;
  }
  bool Take(std::string_view token) {
    if (!Rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  absl::Status ErrorAt(std::size_t offset, std::string_view what) const {
    return InvalidText(fmt::format("column {}: {}", Column(text_, offset), what));
  }
  absl::Status Error(std::string_view what) const { return ErrorAt(at_, what); }

  absl::Status ParseTerm(Where::Term* term) {
    SkipSpace();
    RETURN_IF_ERROR(ParsePath(&term->path));
    SkipSpace();
    RETURN_IF_ERROR(ParseOp(&term->op));
    if (term->op == Op::kExists) return absl::OkStatus();
    SkipSpace();
    if (term->op == Op::kIn) return ParseList(&term->operands);
    term->operands.emplace_back();
    RETURN_IF_ERROR(ParseValue(&term->operands.back(), /*in_list=*/false));
    return absl::OkStatus();
  }

  // Up to a space or an operator that is not within brackets, quotes or behind a backslash.
  absl::Status ParsePath(Path* path) {
    const std::size_t start = at_;
    if (Peek() == '{') return Error("a path stands without braces");
    int brackets = 0;
    char quote = '\0';
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\') {
        ++at_;
      } else if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (brackets > 0 && (c == '\'' || c == '"')) {
        quote = c;
      } else if (c == '[') {
        ++brackets;
      } else if (c == ']') {
        --brackets;
      } else if (brackets <= 0 &&
                 (IsWhereSpace(c) || c == '=' || c == '!' || c == '<' || c == '>')) {
        break;
      }
    }
    at_ = std::min(at_, text_.size());
    if (at_ == start) return Error("expected a path");
    auto parsed = ParseSelection(text_.substr(start, at_ - start));
    if (!parsed.ok()) return PathError(start, Message(parsed.status()));
    *path = *std::move(parsed);
    return absl::OkStatus();
  }

  // "column 3: ..." counts from the path's start.
  absl::Status PathError(std::size_t start, std::string_view message) const {
    constexpr std::string_view kPrefix = "column ";
    const std::size_t colon = message.find(':');
    const auto column = ParseGoInt(message.substr(kPrefix.size(), colon - kPrefix.size()));
    const std::int64_t before = Column(text_, start) - 1;
    return InvalidText(
        fmt::format("column {}{}", before + column.value_or(1), message.substr(colon)));
  }

  absl::Status ParseOp(Op* op) {
    for (const OperatorSymbol& s : kOperatorSymbols) {
      if (!Take(s.text)) continue;
      *op = s.op;
      return absl::OkStatus();
    }
    const std::size_t start = at_;
    while (at_ < text_.size() && Peek() >= 'a' && Peek() <= 'z') ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    const bool ends = at_ == text_.size() || IsWhereSpace(Peek()) || Peek() == '(' || Peek() == '&';
    if (ends && (word == "exists" || word == "in")) {
      *op = word == "in" ? Op::kIn : Op::kExists;
      return absl::OkStatus();
    }
    return ErrorAt(start, "expected one of == != < <= > >= exists in");
  }

  absl::Status ParseList(std::vector<Where::Operand>* operands) {
    if (!Take("(")) return Error("expected '(' after in");
    do {
      SkipSpace();
      operands->emplace_back();
      RETURN_IF_ERROR(ParseValue(&operands->back(), /*in_list=*/true));
      SkipSpace();
    } while (Take(","));
    if (!Take(")")) return Error("expected ',' or ')'");
    return absl::OkStatus();
  }

  // A YAML scalar. Plain ones end before &&, in a list also before ',' and ')'.
  absl::Status ParseValue(Where::Operand* out, bool in_list) {
    if (Peek() == '\'' || Peek() == '"') return ParseQuoted(out);
    const std::size_t start = at_;
    while (at_ < text_.size() && !Rest().starts_with("&&") &&
           !(in_list && (Peek() == ',' || Peek() == ')'))) {
      ++at_;
    }
    std::string_view plain = text_.substr(start, at_ - start);
    while (!plain.empty() && IsWhereSpace(plain.back())) plain.remove_suffix(1);
    at_ = start + plain.size();
    if (plain.empty()) return ErrorAt(start, "expected a value");
    if (const std::size_t bars = plain.find("||"); bars != std::string_view::npos)
      return ErrorAt(start + bars, "there is no ||; quote the value if it is part of it");
    out->text = plain;
    out->value = ResolveCore(plain);
    return absl::OkStatus();
  }

  absl::Status ParseQuoted(Where::Operand* out) {
    const std::size_t start = at_;
    const char quote = text_[at_++];
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\' && quote == '"' && at_ + 1 < text_.size()) {
        const char next = text_[++at_];
        out->text += next == 'n' ? '\n' : next == 't' ? '\t' : next;
      } else if (c == quote && quote == '\'' && Rest().starts_with("''")) {
        out->text += text_[at_++];
      } else if (c == quote) {
        ++at_;
        out->value = Value::String(out->text);
        return absl::OkStatus();
      } else {
        out->text += c;
      }
    }
    return ErrorAt(start, "quote is not closed");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// A text as it is, every other value as JSON.
std::string JsonText(const Value& v) {
  return v.is_string() ? std::string(v.AsString()) : ToJson(v);
}

// -1, 0, 1; 2 for NaN.
int CompareNumbers(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) {
    return a.AsInt() < b.AsInt() ? -1 : a.AsInt() > b.AsInt() ? 1 : 0;
  }
  const double x = a.AsDouble();
  const double y = b.AsDouble();
  return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
}

int Compare(const Value& found, const Where::Operand& operand) {
  if (found.is_number() && operand.value.is_number()) return CompareNumbers(found, operand.value);
  const int order = found.is_string() ? found.AsString().compare(operand.text)
                                      : ToJson(found).compare(JsonText(operand.value));
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

std::string OperandText(const Where::Operand& operand) {
  const std::string& s = operand.text;
  const bool plain = !s.empty() && ResolveCore(s) == operand.value &&
                     s.find_first_of(" \t\n&,()'\"\\") == std::string::npos;
  if (plain) return s;
  std::string out;
  AppendJsonString(s, &out);
  return out;
}

bool Holds(const Value& found, Op op, const std::vector<Where::Operand>& operands) {
  const auto equals = [&found](const Where::Operand& o) { return Compare(found, o) == 0; };
  if (op == Op::kIn) return std::any_of(operands.begin(), operands.end(), equals);
  const int order = Compare(found, operands.front());
  switch (op) {
    case Op::kEq:
      return order == 0;
    case Op::kNe:
      return order != 0;
    case Op::kLt:
      return order == -1;
    case Op::kLe:
      return order == -1 || order == 0;
    case Op::kGt:
      return order == 1;
    default:
      return order == 0 || order == 1;
  }
}

}  // namespace

// One of the values that the path leads to is enough.
bool Where::Term::Matches(const Value& tree) const {
  const std::vector<const Value*> found = Select(tree, path);
  if (op == Op::kExists) return !found.empty();
  if (found.empty()) return op == Op::kNe;
  return std::any_of(found.begin(), found.end(),
                     [this](const Value* v) { return Holds(*v, op, operands); });
}

absl::StatusOr<Where> Where::Parse(std::string_view text) {
  Where where;
  ASSIGN_OR_RETURN(where.terms_, WhereParser(text).Parse());
  return where;
}

bool Where::Matches(const Value& tree) const {
  return std::all_of(terms_.begin(), terms_.end(),
                     [&tree](const Term& term) { return term.Matches(tree); });
}

std::string Where::ToString() const {
  std::vector<std::string> parts;
  for (const Term& t : terms_) {
    std::string part = fmt::format("{} {}", t.path.ToString(), OperatorText(t.op));
    std::vector<std::string> values;
    for (const Operand& o : t.operands) values.push_back(OperandText(o));
    if (t.op == Op::kIn) {
      part += " (" + Join(values, ", ") + ")";
    } else if (!values.empty()) {
      part += " " + values.front();
    }
    parts.push_back(std::move(part));
  }
  return Join(parts, " && ");
}

}  // namespace ksim::value
