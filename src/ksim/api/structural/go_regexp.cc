#include "ksim/api/structural/go_regexp.h"

#include <fmt/format.h>
#include <re2/re2.h>

namespace ksim::api {
namespace {

constexpr std::int64_t kMaxMemory = 64 << 20;  // Go has no bound; its repeat counts have

re2::RE2::Options OptionsOfGo() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxMemory);
  return options;
}

std::string_view GoWords(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
      return "invalid character class";
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    case re2::RE2::ErrorPatternTooLarge:
      return "expression too large";
    default:
      return "regexp/syntax: internal error";
  }
}

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct GoRegexp::Compiled {
  explicit Compiled(std::string_view pattern) : re(Piece(pattern), OptionsOfGo()) {}
  re2::RE2 re;
};

GoRegexp::GoRegexp(std::string_view pattern) : compiled_(std::make_unique<Compiled>(pattern)) {
  if (compiled_->re.ok()) return;
  // Go names the whole pattern where a parenthesis or a class lacks its end.
  std::string part(compiled_->re.error_arg());
  const re2::RE2::ErrorCode code = compiled_->re.error_code();
  if (code == re2::RE2::ErrorMissingParen || code == re2::RE2::ErrorUnexpectedParen) part = pattern;
  if (code == re2::RE2::ErrorTrailingBackslash) part.clear();
  problem_ = fmt::format("error parsing regexp: {}: `{}`", GoWords(code), part);
}

GoRegexp::~GoRegexp() = default;

bool GoRegexp::Matches(std::string_view text) const {
  return compiled_->re.ok() && re2::RE2::PartialMatch(Piece(text), compiled_->re);
}

}  // namespace ksim::api
