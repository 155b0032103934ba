#include "ksim/value/go_json_problem.h"

#include "ksim/value/text.h"

namespace ksim::value {
namespace {

constexpr int kMaxDepth = 10000;  // scanner.go maxNestingDepth

// Recursive descent with scanner.go's words. Each reader leaves `at_` behind what it has read;
// false: problem_ says why.
class GoScanner {
 public:
  explicit GoScanner(std::string_view text) : text_(text) {}

  std::string Run() {
    if (!ReadValue()) return problem_;
    SkipSpace();
    if (!AtEnd()) Refuse("after top-level value");
    return problem_;
  }

 private:
  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[at_]; }
  void SkipSpace() {
    while (!AtEnd() && std::string_view(" \t\r\n").find(Peek()) != std::string_view::npos) ++at_;
  }

  // The scanner takes a blank for the end. Where blanks may stand, the end is unexpected as such.
  bool Refuse(std::string_view context, bool blanks_may_stand = true) {
    problem_ = AtEnd() && blanks_may_stand ? "unexpected end of JSON input"
                                           : "invalid character " + Quoted(AtEnd() ? ' ' : Peek()) +
                                                 " " + std::string(context);
    return false;
  }
  // quoteChar
  static std::string Quoted(char c) {
    if (c == '\'') return R"('\'')";
    if (c == '"') return R"('"')";
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    std::string shown(1, c);
    if (c == '\\') shown = R"(\\)";
    if (c == '\n') shown = R"(\n)";
    if (c == '\t') shown = R"(\t)";
    if (c == '\r') shown = R"(\r)";
    if (shown[0] == c && (byte < 0x20 || byte == 0x7f))
      shown = std::string(R"(\x)") + kDigits[byte >> 4U] + kDigits[byte & 15U];
    if (byte >= 0x80)
      shown = {static_cast<char>(0xc0U | byte >> 6U), static_cast<char>(0x80U | (byte & 0x3fU))};
    return "'" + shown + "'";
  }

  bool ReadValue() {
    SkipSpace();
    switch (Peek()) {
      case '{':
        return ReadObject();
      case '[':
        return ReadArray();
      case '"':
        return ReadString();
      case 't':
        return ReadWord("true");
      case 'f':
        return ReadWord("false");
      case 'n':
        return ReadWord("null");
      default:
        if (Peek() == '-' || IsDigit(Peek())) return ReadNumber();
        return Refuse("looking for beginning of value");
    }
  }

  bool ReadWord(std::string_view word) {
    for (const char c : word) {
      if (AtEnd() || Peek() != c)
        return Refuse("in literal " + std::string(word) + " (expecting '" + c + "')", false);
      ++at_;
    }
    return true;
  }

  bool ReadDigits(std::string_view context) {
    if (!IsDigit(Peek())) return Refuse(context, false);
    while (IsDigit(Peek())) ++at_;
    return true;
  }

  bool ReadNumber() {
    if (Peek() == '-') ++at_;
    if (Peek() == '0') {
      ++at_;
    } else if (!ReadDigits("in numeric literal")) {
      return false;
    }
    if (Peek() == '.') {
      ++at_;
      if (!ReadDigits("after decimal point in numeric literal")) return false;
    }
    if (Peek() != 'e' && Peek() != 'E') return true;
    ++at_;
    if (Peek() == '+' || Peek() == '-') ++at_;
    return ReadDigits("in exponent of numeric literal");
  }

  bool ReadString() {
    for (++at_; !AtEnd() && Peek() != '"'; ++at_) {
      if (static_cast<unsigned char>(Peek()) < 0x20) return Refuse("in string literal");
      if (Peek() == '\\' && !ReadEscape()) return false;
    }
    if (AtEnd()) return Refuse("");
    ++at_;
    return true;
  }

  // Ends on the last character of the escape.
  bool ReadEscape() {
    ++at_;
    if (Peek() == 'u') {
      for (int i = 0; i < 4; ++i) {
        ++at_;
        const char lower = static_cast<char>(Peek() | 0x20);
        if (!IsDigit(Peek()) && (lower < 'a' || lower > 'f'))
          return Refuse("in \\u hexadecimal character escape", false);
      }
      return true;
    }
    if (AtEnd() || std::string_view("bfnrt\\/\"").find(Peek()) == std::string_view::npos)
      return Refuse("in string escape code", false);
    return true;
  }

  bool Enter() {
    ++at_;
    if (++depth_ <= kMaxDepth) return true;
    problem_ = "exceeded max depth";
    return false;
  }

  bool ReadObject() {
    if (!Enter()) return false;
    SkipSpace();
    for (bool first = true; !first || Peek() != '}'; first = false) {
      SkipSpace();
      if (Peek() != '"') return Refuse("looking for beginning of object key string");
      if (!ReadString()) return false;
      SkipSpace();
      if (Peek() != ':') return Refuse("after object key");
      ++at_;
      if (!ReadValue()) return false;
      SkipSpace();
      if (Peek() == '}') break;
      if (Peek() != ',') return Refuse("after object key:value pair");
      ++at_;
    }
    ++at_;
    --depth_;
    return true;
  }

  bool ReadArray() {
    if (!Enter()) return false;
    SkipSpace();
    for (bool first = true; !first || Peek() != ']'; first = false) {
      if (!ReadValue()) return false;
      SkipSpace();
      if (Peek() == ']') break;
      if (Peek() != ',') return Refuse("after array element");
      ++at_;
    }
    ++at_;
    --depth_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string problem_;
};

}  // namespace

std::string GoJsonProblem(std::string_view text) { return GoScanner(text).Run(); }

}  // namespace ksim::value
