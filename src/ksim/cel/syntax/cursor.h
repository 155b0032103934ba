// TokenCursor: the tokens of an expression, where the parser stands in them, and errors of syntax
// in ANTLR's words, as the parser that cel-go has of it words them.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/cel/syntax/lexer.h"
#include "ksim/cel/syntax/source.h"

namespace ksim::cel {

bool IsReservedWord(std::string_view name);
bool IsKeyword(std::string_view name);

class TokenCursor {
 protected:
  TokenCursor(const Source& source, std::vector<SourceError>* errors)
      : errors_(errors), tokens_(Tokenize(source, errors)) {}

  const Token& Now() const { return tokens_[at_]; }
  const Token& Next(std::size_t n = 1) const {
    return tokens_[std::min(at_ + n, tokens_.size() - 1)];
  }
  bool Is(const char* punctuation) const { return Now().Is(punctuation); }
  const Token& Advance() {
    const Token& token = tokens_[at_];
    if (at_ + 1 < tokens_.size()) ++at_;
    recovering_ = false;
    return token;
  }
  bool Accept(const char* punctuation) {
    if (!Is(punctuation)) return false;
    Advance();
    return true;
  }
  static std::string Shown(const Token& token) {
    return token.kind == TokenKind::kEnd ? "<EOF>" : token.text;
  }

  void Error(std::int32_t offset, std::string message) {
    if (!stopped_) errors_->push_back({offset, std::move(message)});
  }
  void SyntaxError(const Token& token, const std::string& message) {
    if (!recovering_) Error(token.offset, "Syntax error: " + message);
  }
  // Nothing more is parsed: every loop sees the end.
  void Stop(std::string message) {
    if (stopped_) return;
    Error(-1, std::move(message));
    stopped_ = true;
    at_ = tokens_.size() - 1;
  }

  static bool BeginsPrimary(const Token& t);
  static bool BeginsUnary(const Token& t) { return BeginsPrimary(t) || t.Is("!"); }
  // Sees to it that an operand begins here, dropping one token too much; false: there is none.
  bool ExpectUnary();
  bool ExpectPrimary();
  // Skips to a token with which an enclosing rule can go on.
  void Recover();
  // A token that has to stand here. ANTLR drops one too many, and makes one up if what stands here
  // may follow it: another operator or bracket, or an operand.
  bool Expect(const char* token, const std::string& expecting, bool operand_follows = false);
  void ExpectEnd();
  // The tokens that may stand here besides an operand, for the message if none does.
  void SetExtras(const char* bracket, const char* brace, const char* others);
  void SetIndexExtra() {
    SetExtras("", "", "");
    if (!BeginsUnary(Now())) question_extra_ = "'?', ";
  }
  void SetParenExtra() {
    SetExtras("", "", "");
    if (!BeginsUnary(Now())) paren_extra_ = "')', ";
  }

  std::vector<SourceError>* errors_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  bool stopped_ = false;
  bool recovering_ = false;  // from an error: no other is told until a token fits again
  int parens_ = 0, brackets_ = 0, braces_ = 0, ternaries_ = 0;

 private:
  bool ExpectOperand(bool unary, const std::string& expecting);
  bool MayFollowOperand() const;
  std::string bracket_extra_, brace_extra_, paren_extra_, comma_extra_, question_extra_;
};

}  // namespace ksim::cel
