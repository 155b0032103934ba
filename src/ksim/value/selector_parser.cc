#include "ksim/value/selector_parser.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/value/text.h"

namespace ksim::value {
namespace {

using Operator = LabelSelector::Operator;
using Requirement = LabelSelector::Requirement;

enum class TokenKind { kIdentifier, kIn, kNotIn, kSymbol, kEnd, kError };

struct Token {
  TokenKind kind;
  std::string text;
  bool Is(std::string_view symbol) const { return kind == TokenKind::kSymbol && text == symbol; }
  // Where a value is expected, the words `in` and `notin` are values.
  bool IsWord() const {
    return kind == TokenKind::kIdentifier || kind == TokenKind::kIn || kind == TokenKind::kNotIn;
  }
};

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsSpecial(char c) { return std::string_view("=!(),><").find(c) != std::string_view::npos; }
bool IsSymbol(std::string_view s) {
  static constexpr std::string_view kSymbols[] = {")", ",", "!", "==", "=", ">", "<", "!=", "("};
  return std::find(std::begin(kSymbols), std::end(kSymbols), s) != std::end(kSymbols);
}

// The longest symbol at the start of `rest`; it ends before the first character with
// which it would be no symbol.
Token TakeSymbol(std::string_view* rest) {
  std::size_t n = 1;
  while (n < rest->size() && IsSpecial((*rest)[n]) && IsSymbol(rest->substr(0, n + 1))) ++n;
  Token token{TokenKind::kSymbol, std::string(rest->substr(0, n))};
  rest->remove_prefix(n);
  return token;
}

Token TakeWord(std::string_view* rest) {
  std::size_t n = 0;
  while (n < rest->size() && !IsSpecial((*rest)[n]) && !IsSpace((*rest)[n]) && (*rest)[n] != 0) ++n;
  Token token{TokenKind::kIdentifier, std::string(rest->substr(0, n))};
  if (token.text == "in") token.kind = TokenKind::kIn;
  if (token.text == "notin") token.kind = TokenKind::kNotIn;
  rest->remove_prefix(n);
  return token;
}

// A zero byte ends the text, as it does upstream.
std::vector<Token> Scan(std::string_view text) {
  std::vector<Token> tokens;
  text = text.substr(0, text.find('\0'));
  while (true) {
    while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
    if (text.empty()) break;
    tokens.push_back(IsSpecial(text.front()) ? TakeSymbol(&text) : TakeWord(&text));
  }
  tokens.push_back({TokenKind::kEnd, ""});
  return tokens;
}

absl::Status Found(const Token& token, std::string_view expected) {
  return InvalidText("found '" + token.text + "'" + std::string(expected));
}

class SelectorParser {
 public:
  explicit SelectorParser(std::string_view text) : tokens_(Scan(text)) {}

  absl::StatusOr<std::vector<Requirement>> Parse() {
    std::vector<Requirement> requirements;
    while (Peek().kind != TokenKind::kEnd) {
      if (!StartsRequirement(Peek())) {
        return Found(Peek(), ", expected: !, identifier, or 'end of string'");
      }
      auto r = ParseRequirement();
      if (!r.ok()) return Annotate(r.status(), "unable to parse requirement");
      requirements.push_back(*std::move(r));
      const Token next = Take();
      if (next.kind == TokenKind::kEnd) return requirements;
      if (!next.Is(",")) return Found(next, ", expected: ',' or 'end of string'");
      if (!StartsRequirement(Peek())) return Found(Peek(), ", expected: identifier after ','");
    }
    return requirements;
  }

 private:
  const Token& Peek() const { return tokens_[std::min(at_, tokens_.size() - 1)]; }
  Token Take() {
    Token token = Peek();
    ++at_;
    return token;
  }
  static bool StartsRequirement(const Token& t) { return t.IsWord() || t.Is("!"); }

  absl::StatusOr<Requirement> ParseRequirement() {
    const bool negated = Peek().Is("!");
    if (negated) Take();
    const Token key = Take();
    if (!key.IsWord()) return Found(key, ", expected: identifier");
    if (const auto problems = LabelKeyProblems(key.text); !problems.empty()) {
      return InvalidText("<nil>: Invalid value: " + GoQuote(key.text) + ": " +
                         Join(problems, "; "));
    }
    Requirement r(key.text, Operator::kExists, {});
    const bool unary = Peek().kind == TokenKind::kEnd || Peek().Is(",");
    if (negated) r.op = Operator::kDoesNotExist;
    if (!negated && !unary) {
      ASSIGN_OR_RETURN(r.op, ParseOperator());
      const bool set = r.op == Operator::kIn || r.op == Operator::kNotIn;
      ASSIGN_OR_RETURN(r.values, set ? ParseValues() : ParseExactValue());
    }
    RETURN_IF_ERROR(CheckRequirement(r));
    return r;
  }

  absl::StatusOr<Operator> ParseOperator() {
    const Token t = Take();
    if (t.kind == TokenKind::kIn) return Operator::kIn;
    if (t.kind == TokenKind::kNotIn) return Operator::kNotIn;
    if (t.Is("=")) return Operator::kEquals;
    if (t.Is("==")) return Operator::kDoubleEquals;
    if (t.Is("!=")) return Operator::kNotEquals;
    if (t.Is(">")) return Operator::kGreaterThan;
    if (t.Is("<")) return Operator::kLessThan;
    return Found(t, ", expected: in, notin, =, ==, !=, gt, lt");
  }

  using Values = std::vector<std::string>;

  absl::StatusOr<Values> ParseValues() {
    const Token open = Take();
    if (!open.Is("(")) return Found(open, " expected: '('");
    const Token first = Peek();
    if (first.Is(")")) {
      Take();
      return Values{""};
    }
    if (!first.IsWord() && !first.Is(",")) {
      return Found(first, ", expected: ',', ')' or identifier");
    }
    ASSIGN_OR_RETURN(Values values, ParseList());
    if (!Take().Is(")")) return Found(first, ", expected: ')'");
    return values;
  }

  // Empty items count as the empty value: (a,,b), (,), (a,).
  absl::StatusOr<Values> ParseList() {
    std::set<std::string> values;
    while (true) {
      const Token t = Take();
      if (t.IsWord()) {
        values.insert(t.text);
        if (Peek().Is(",")) continue;
        if (Peek().Is(")")) break;
        return Found(Peek(), ", expected: ',' or ')'");
      }
      if (!t.Is(",")) return Found(t, ", expected: ',', or identifier");
      if (values.empty() || Peek().Is(",") || Peek().Is(")")) values.insert("");
      if (Peek().Is(")")) break;
    }
    return Values(values.begin(), values.end());
  }

  absl::StatusOr<Values> ParseExactValue() {
    if (Peek().kind == TokenKind::kEnd || Peek().Is(",")) return Values{""};
    const Token t = Take();
    if (t.IsWord()) return Values{t.text};
    return Found(t, ", expected: identifier");
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<Requirement>> ParseRequirements(std::string_view text) {
  return SelectorParser(text).Parse();
}

}  // namespace ksim::value
