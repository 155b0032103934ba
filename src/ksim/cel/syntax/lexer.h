// Tokens of CEL. Upstream: cel-go parser/gen/CEL.g4.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ksim/cel/syntax/source.h"
#include "ksim/cel/values/val.h"

namespace ksim::cel {

enum class TokenKind : std::uint8_t {
  kEnd,
  kPunctuation,  // text says which
  kIdent,
  kEscapedIdent,  // `a-b`
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::int32_t offset = 0;  // in code points
  std::string text;         // as written

  bool Is(const char* punctuation) const {
    return kind == TokenKind::kPunctuation && text == punctuation;
  }
};

// The tokens, the last of them kEnd; errors of what is no token go to `errors`.
std::vector<Token> Tokenize(const Source& source, std::vector<SourceError>* errors);

// The value of a string or bytes literal as written, quotes and prefix included. nullopt with the
// reason in `problem`.
std::optional<std::string> UnescapeLiteral(const std::string& text, bool bytes,
                                           std::string* problem);

// The value of a number's token; an error's text in `problem`.
Val ReadNumber(const Token& token, bool negative, std::string* problem);

}  // namespace ksim::cel
