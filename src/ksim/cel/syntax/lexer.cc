#include "ksim/cel/syntax/lexer.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "ksim/cel/values/go_text.h"

namespace ksim::cel {
namespace {

bool IsLetter(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || c == U'_';
}
bool IsDecimal(char32_t c) { return c >= U'0' && c <= U'9'; }
bool IsHex(char32_t c) {
  return IsDecimal(c) || (c >= U'a' && c <= U'f') || (c >= U'A' && c <= U'F');
}

class Lexer {
 public:
  Lexer(const Source& source, std::vector<SourceError>* errors)
      : runes_(source.runes()), errors_(errors) {}

  std::vector<Token> Run() {
    while (true) {
      SkipBlanks();
      if (at_ >= runes_.size()) break;
      if (const std::size_t end = TokenEnd(); end > at_) {
        Add(end);
      } else {
        Refuse(wrong_end_);
      }
    }
    kind_ = TokenKind::kEnd;
    Add(at_);
    return std::move(tokens_);
  }

 private:
  char32_t At(std::size_t i) const { return i < runes_.size() ? runes_[i] : 0; }

  void SkipBlanks() {
    while (at_ < runes_.size()) {
      const char32_t c = runes_[at_];
      if (c == U' ' || c == U'\t' || c == U'\r' || c == U'\n' || c == U'\f') {
        ++at_;
      } else if (c == U'/' && At(at_ + 1) == U'/') {
        while (at_ < runes_.size() && runes_[at_] != U'\n') ++at_;
      } else {
        return;
      }
    }
  }

  void Add(std::size_t end) {
    Token token;
    token.kind = kind_;
    token.offset = static_cast<std::int32_t>(at_);
    token.text = FromRunes(runes_.data() + at_, runes_.data() + end);
    tokens_.push_back(std::move(token));
    at_ = end;
  }

  void Refuse(std::size_t end) {
    errors_->push_back({static_cast<std::int32_t>(at_),
                        "Syntax error: token recognition error at: '" +
                            Visible(FromRunes(runes_.data() + at_, runes_.data() + end)) + "'"});
    at_ = end;
  }

  // ANTLR shows line breaks and tabs escaped.
  static std::string Visible(const std::string& text) {
    std::string shown;
    for (const char c : text) {
      if (c == '\n') {
        shown += "\\n";
      } else if (c == '\t') {
        shown += "\\t";
      } else if (c == '\r') {
        shown += "\\r";
      } else {
        shown += c;
      }
    }
    return shown;
  }

  // The end of the token at `at_`; `at_` if there is none, and then wrong_end_ says up to where the
  // text is wrong.
  std::size_t TokenEnd() {
    wrong_end_ = at_ + 1;
    const char32_t c = At(at_);
    if (IsLetter(c)) {
      if (const std::size_t end = PrefixedStringEnd(); end > at_) return end;
      wrong_end_ = at_ + 1;
      kind_ = TokenKind::kIdent;
      std::size_t i = at_;
      while (IsLetter(At(i)) || IsDecimal(At(i))) ++i;
      return i;
    }
    if (IsDecimal(c) || (c == U'.' && IsDecimal(At(at_ + 1)))) return NumberEnd();
    if (c == U'"' || c == U'\'') {
      kind_ = TokenKind::kString;
      return QuotedEnd(at_, false);
    }
    if (c == U'`') return EscapedIdentEnd();
    kind_ = TokenKind::kPunctuation;
    for (const std::string_view two : {"==", "!=", "<=", ">=", "&&", "||"}) {
      if (c == static_cast<char32_t>(two[0]) && At(at_ + 1) == static_cast<char32_t>(two[1])) {
        return at_ + 2;
      }
    }
    constexpr std::string_view kSingle = "<>[]{}().,-!?:+*/%";
    if (c < 0x80 && kSingle.find(static_cast<char>(c)) != std::string_view::npos) return at_ + 1;
    // A lone = & or | takes the character behind it along, as the generated lexer does.
    if ((c == U'=' || c == U'&' || c == U'|') && at_ + 1 < runes_.size()) wrong_end_ = at_ + 2;
    return at_;
  }

  std::size_t EscapedIdentEnd() {
    kind_ = TokenKind::kEscapedIdent;
    std::size_t i = at_ + 1;
    while (IsLetter(At(i)) || IsDecimal(At(i)) || At(i) == U'.' || At(i) == U'-' || At(i) == U'/' ||
           At(i) == U' ') {
      ++i;
    }
    if (At(i) == U'`' && i > at_ + 1) return i + 1;
    wrong_end_ = std::min(i + 1, runes_.size());
    return at_;
  }

  std::size_t NumberEnd() {
    std::size_t i = at_;
    if (At(i) == U'0' && At(i + 1) == U'x' && IsHex(At(i + 2))) {
      i += 2;
      while (IsHex(At(i))) ++i;
      return IntegerEnd(i);
    }
    while (IsDecimal(At(i))) ++i;
    bool real = false;
    if (At(i) == U'.' && IsDecimal(At(i + 1))) {
      real = true;
      ++i;
      while (IsDecimal(At(i))) ++i;
    }
    if (At(i) == U'e' || At(i) == U'E') {
      std::size_t j = i + 1;
      if (At(j) == U'+' || At(j) == U'-') ++j;
      if (IsDecimal(At(j))) {
        real = true;
        while (IsDecimal(At(j))) ++j;
        i = j;
      }
    }
    if (!real) return IntegerEnd(i);
    kind_ = TokenKind::kDouble;
    return i;
  }

  std::size_t IntegerEnd(std::size_t i) {
    kind_ = TokenKind::kInt;
    if (At(i) != U'u' && At(i) != U'U') return i;
    kind_ = TokenKind::kUint;
    return i + 1;
  }

  std::size_t PrefixedStringEnd() {
    std::size_t i = at_;
    kind_ = TokenKind::kString;
    if (At(i) == U'b' || At(i) == U'B') {
      kind_ = TokenKind::kBytes;
      ++i;
    }
    const bool raw = At(i) == U'r' || At(i) == U'R';
    if (raw) ++i;
    if (At(i) != U'"' && At(i) != U'\'') return at_;
    return QuotedEnd(i, raw);
  }

  // `i` is at the opening quote.
  std::size_t QuotedEnd(std::size_t i, bool raw) {
    const char32_t quote = At(i);
    const bool triple = At(i + 1) == quote && At(i + 2) == quote;
    std::size_t j = i + (triple ? 3 : 1);
    while (j < runes_.size()) {
      const char32_t c = runes_[j];
      if (c == quote && (!triple || (At(j + 1) == quote && At(j + 2) == quote))) {
        return j + (triple ? 3 : 1);
      }
      if (!triple && (c == U'\n' || c == U'\r')) break;
      if (c == U'\\' && !raw) {
        const std::size_t end = EscapeEnd(j);
        if (end == j) break;
        j = end;
      } else {
        ++j;
      }
    }
    if (triple) {  // "" and an open quote: the empty string is a token
      return i + 2;
    }
    wrong_end_ = std::min(j + 1, runes_.size());
    return at_;
  }

  // The end of an escape sequence; `j` itself if it is none.
  std::size_t EscapeEnd(std::size_t j) const {
    const char32_t c = At(j + 1);
    if (c < 0x80 && c != 0 &&
        std::string_view("abfnrtv\"'\\?`").find(static_cast<char>(c)) != std::string_view::npos) {
      return j + 2;
    }
    const auto octal = [](char32_t d) { return d >= U'0' && d <= U'7'; };
    if (c >= U'0' && c <= U'3' && octal(At(j + 2)) && octal(At(j + 3))) return j + 4;
    std::size_t digits = 0;
    if (c == U'x' || c == U'X') digits = 2;
    if (c == U'u') digits = 4;
    if (c == U'U') digits = 8;
    if (digits == 0) return j;
    for (std::size_t k = 0; k < digits; ++k) {
      if (!IsHex(At(j + 2 + k))) return j;
    }
    return j + 2 + digits;
  }

  const std::vector<char32_t>& runes_;
  std::vector<SourceError>* errors_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t wrong_end_ = 0;
  TokenKind kind_ = TokenKind::kEnd;
};

char SimpleEscape(char c) {
  switch (c) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return c;
  }
}

}  // namespace

std::vector<Token> Tokenize(const Source& source, std::vector<SourceError>* errors) {
  return Lexer(source, errors).Run();
}

std::optional<std::string> UnescapeLiteral(const std::string& text, bool bytes,
                                           std::string* problem) {
  std::string_view body = text;
  if (bytes) body.remove_prefix(1);
  const bool raw = body[0] == 'r' || body[0] == 'R';
  if (raw) body.remove_prefix(1);
  const bool triple = body.size() >= 6 && body[1] == body[0] && body[2] == body[0];
  const std::size_t quotes = triple ? 3 : 1;
  body = body.substr(quotes, body.size() - 2 * quotes);
  std::string out;
  for (std::size_t i = 0; i < body.size();) {
    const char c = body[i];
    if (c == '\r') {  // Go's line ends: \r\n and \r are \n
      out += '\n';
      i += i + 1 < body.size() && body[i + 1] == '\n' ? 2 : 1;
      continue;
    }
    if (c != '\\' || raw) {
      out += c;
      ++i;
      continue;
    }
    const char kind = body[i + 1];
    std::size_t digits = 0;
    int base = 16;
    std::size_t from = i + 2;
    if (kind == 'x' || kind == 'X') digits = 2;
    if (kind == 'u') digits = 4;
    if (kind == 'U') digits = 8;
    if (kind >= '0' && kind <= '3') {
      digits = 3;
      base = 8;
      from = i + 1;
    }
    if (digits == 0) {
      out += SimpleEscape(kind);
      i += 2;
      continue;
    }
    const std::uint32_t code = static_cast<std::uint32_t>(
        std::stoul(std::string(body.substr(from, digits)), nullptr, base));
    i = from + digits;
    const bool unicode = kind == 'u' || kind == 'U';
    if (unicode && bytes) {
      *problem = "unable to unescape string";
      return std::nullopt;
    }
    if (bytes) {
      out += static_cast<char>(code);
      continue;
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
      *problem = "invalid unicode code point";
      return std::nullopt;
    }
    const auto rune = static_cast<char32_t>(code);
    out += FromRunes(&rune, &rune + 1);
  }
  return out;
}

Val ReadNumber(const Token& token, bool negative, std::string* problem) {
  std::string digits = token.text;
  if (token.kind == TokenKind::kDouble) {
    const std::optional<double> d = ParseDouble((negative ? "-" : "") + digits);
    if (!d.has_value()) *problem = "invalid double literal";
    return Val::Double(d.value_or(0));
  }
  const bool is_unsigned = token.kind == TokenKind::kUint;
  if (is_unsigned) digits.pop_back();
  const bool hex = digits.starts_with("0x");
  if (hex) digits = digits.substr(2);
  std::uint64_t number = 0;
  const auto read =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, hex ? 16 : 10);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
  if (is_unsigned) {
    if (read.ec != std::errc()) *problem = "invalid uint literal";
    return Val::Uint(number);
  }
  if (read.ec != std::errc() || number > (negative ? kMost : kMost - 1)) {
    *problem = "invalid int literal";
  }
  return Val::Int(static_cast<std::int64_t>(negative ? 0 - number : number));
}

}  // namespace ksim::cel
