#include "ksim/cel/syntax/cursor.h"

#include <array>

namespace ksim::cel {
namespace {

// The tokens that may begin an operand, as ANTLR lists them.
constexpr char kPrimaryTail[] =
    "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

}  // namespace

bool IsReservedWord(std::string_view name) {
  constexpr std::array<std::string_view, 17> kReserved = {
      "as",  "break", "const", "continue",  "else",    "for",    "function", "if",   "import",
      "let", "loop",  "var",   "namespace", "package", "return", "void",     "while"};
  for (const std::string_view reserved : kReserved) {
    if (name == reserved) return true;
  }
  return false;
}

bool IsKeyword(std::string_view name) {
  return name == "true" || name == "false" || name == "null" || name == "in";
}

bool TokenCursor::BeginsPrimary(const Token& t) {
  if (t.kind == TokenKind::kPunctuation) {
    return t.text == "[" || t.text == "{" || t.text == "(" || t.text == "." || t.text == "-";
  }
  if (t.kind == TokenKind::kIdent) return t.text != "in";
  return t.kind != TokenKind::kEnd && t.kind != TokenKind::kEscapedIdent;
}

bool TokenCursor::ExpectOperand(bool unary, const std::string& expecting) {
  const auto begins = [unary](const Token& t) { return unary ? BeginsUnary(t) : BeginsPrimary(t); };
  if (begins(Now())) return true;
  if (Now().kind != TokenKind::kEnd && begins(Next())) {
    SyntaxError(Now(), "extraneous input '" + Shown(Now()) + "' expecting " + expecting);
    Advance();
    return true;
  }
  SyntaxError(Now(), "mismatched input '" + Shown(Now()) + "' expecting " + expecting);
  Recover();
  return false;
}

void TokenCursor::Recover() {
  recovering_ = true;
  while (Now().kind != TokenKind::kEnd) {
    if (Now().kind == TokenKind::kIdent && Now().text == "in") return;
    if (Now().kind == TokenKind::kPunctuation) {
      const std::string& t = Now().text;
      if (t == ")" && parens_ > 0) return;
      if (t == "]" && brackets_ > 0) return;
      if (t == "}" && braces_ > 0) return;
      if (t == "," && parens_ + brackets_ + braces_ > 0) return;
      if (t == ":" && braces_ + ternaries_ > 0) return;
      if (t != ")" && t != "]" && t != "}" && t != "," && t != ":" && t != "!" && t != "{" &&
          t != "(" && t != "=") {
        return;
      }
    }
    ++at_;
  }
}

bool TokenCursor::MayFollowOperand() const {
  const Token& t = Now();
  const int open = parens_ + brackets_ + braces_;
  if (t.kind == TokenKind::kEnd) return open + ternaries_ == 0;
  if (t.kind == TokenKind::kIdent) return t.text == "in";
  if (t.kind != TokenKind::kPunctuation) return false;
  if (t.text == ")") return parens_ > 0;
  if (t.text == "]") return brackets_ > 0;
  if (t.text == "}") return braces_ > 0;
  if (t.text == ",") return open > 0;
  if (t.text == ":") return braces_ + ternaries_ > 0;
  return t.text != "!" && t.text != "{" && t.text != "(";
}

bool TokenCursor::Expect(const char* token, const std::string& expecting, bool operand_follows) {
  if (stopped_) return false;
  if (Accept(token)) return true;
  if (Next().Is(token) && Now().kind != TokenKind::kEnd) {
    SyntaxError(Now(), "extraneous input '" + Shown(Now()) + "' expecting " + expecting);
    Advance();
    Advance();
    return true;
  }
  if (expecting.front() == '\'' && (operand_follows ? BeginsUnary(Now()) : MayFollowOperand())) {
    SyntaxError(Now(), "missing " + expecting + " at '" + Shown(Now()) + "'");
    recovering_ = true;
    return true;
  }
  SyntaxError(Now(), "mismatched input '" + Shown(Now()) + "' expecting " + expecting);
  Recover();
  return Accept(token);
}

void TokenCursor::ExpectEnd() {
  if (Now().kind == TokenKind::kEnd) return;
  const char* what = Next().kind == TokenKind::kEnd ? "extraneous input '" : "mismatched input '";
  SyntaxError(Now(), what + Shown(Now()) + "' expecting <EOF>");
}

bool TokenCursor::ExpectUnary() {
  if (BeginsUnary(Now())) return true;
  const std::string expecting = "{'[', " + bracket_extra_ + "'{', " + brace_extra_ + "'(', " +
                                paren_extra_ + "'.', " + comma_extra_ + "'-', '!', " +
                                question_extra_ + kPrimaryTail;
  SetExtras("", "", "");
  return ExpectOperand(true, expecting);
}

bool TokenCursor::ExpectPrimary() {
  return ExpectOperand(false, std::string("{'[', '{', '(', '.', '-', ") + kPrimaryTail);
}

void TokenCursor::SetExtras(const char* bracket, const char* brace, const char* others) {
  if (BeginsUnary(Now())) return;
  bracket_extra_ = bracket;
  brace_extra_ = brace;
  paren_extra_ = "";
  comma_extra_ = *others == '\0' ? "" : "',', ";
  question_extra_ = *others == '\0' ? "" : "'?', ";
}

}  // namespace ksim::cel
