#include "ksim/cel/functions/regex.h"

#include <re2/re2.h>

#include "ksim/cel/functions/libraries.h"
#include "ksim/cel/values/go_text.h"
#include "ksim/value/text.h"

namespace ksim::cel {

struct Regex::Impl {
  explicit Impl(std::string_view pattern)
      : re(re2::StringPiece(pattern.data(), pattern.size()), Options()) {}
  static RE2::Options Options() {
    RE2::Options options;
    options.set_log_errors(false);
    return options;
  }
  RE2 re;
};

Regex::Regex() = default;
Regex::~Regex() = default;

namespace {

// RE2's codes in the words of Go's regexp/syntax.
std::string GoError(const RE2& re) {
  const std::string argument = re.error_arg();
  switch (re.error_code()) {
    case RE2::ErrorBadEscape:
      if (argument == "\\")
        return "error parsing regexp: trailing backslash at end of expression: ``";
      return "error parsing regexp: invalid escape sequence: `" + argument + "`";
    case RE2::ErrorBadCharClass:
      return "error parsing regexp: invalid character class: `" + argument + "`";
    case RE2::ErrorBadCharRange:
      return "error parsing regexp: invalid character class range: `" + argument + "`";
    case RE2::ErrorMissingBracket:
      return "error parsing regexp: missing closing ]: `" + argument + "`";
    case RE2::ErrorMissingParen:
      return "error parsing regexp: missing closing ): `" + re.pattern() + "`";
    case RE2::ErrorUnexpectedParen:
      return "error parsing regexp: unexpected ): `" + re.pattern() + "`";
    case RE2::ErrorTrailingBackslash:
      return "error parsing regexp: trailing backslash at end of expression: ``";
    case RE2::ErrorRepeatArgument:
      return "error parsing regexp: missing argument to repetition operator: `" + argument + "`";
    case RE2::ErrorRepeatSize:
      return "error parsing regexp: invalid repeat count: `" + argument + "`";
    case RE2::ErrorRepeatOp:
      return "error parsing regexp: invalid nested repetition operator: `" + argument + "`";
    case RE2::ErrorBadPerlOp:
      return "error parsing regexp: invalid or unsupported Perl syntax: `" + argument + "`";
    case RE2::ErrorBadUTF8:
      return "error parsing regexp: invalid UTF-8: `" + argument + "`";
    case RE2::ErrorBadNamedCapture:
      return "error parsing regexp: invalid named capture: `" + argument + "`";
    default:
      return "error parsing regexp: expression too large";
  }
}

Val FindAllIn(Arguments args, std::int64_t most) {
  std::string error;
  const auto regex = Regex::Compile(args[1].AsText(), &error);
  if (regex == nullptr) return Val::Error("Illegal regex: " + error);
  std::vector<Val> found;
  for (const std::string& match : regex->FindAll(args[0].AsText(), most)) {
    found.push_back(Val::String(match));
  }
  return Val::List(std::move(found));
}

}  // namespace

std::shared_ptr<const Regex> Regex::Compile(std::string_view pattern, std::string* error) {
  auto regex = std::make_shared<Regex>();
  regex->impl_ = std::make_unique<Impl>(pattern);
  if (regex->impl_->re.ok()) return regex;
  *error = GoError(regex->impl_->re);
  return nullptr;
}

bool Regex::Matches(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), impl_->re);
}

std::string Regex::Find(std::string_view text) const {
  re2::StringPiece match;
  const re2::StringPiece input(text.data(), text.size());
  if (!impl_->re.Match(input, 0, text.size(), RE2::UNANCHORED, &match, 1)) return "";
  return {match.data(), match.size()};
}

// regexp.FindAllString: matches that do not overlap; an empty one right behind another is left out.
std::vector<std::string> Regex::FindAll(std::string_view text, std::int64_t most) const {
  std::vector<std::string> found;
  const re2::StringPiece input(text.data(), text.size());
  std::size_t from = 0;
  std::ptrdiff_t last_end = -1;
  while (from <= text.size() && (most < 0 || static_cast<std::int64_t>(found.size()) < most)) {
    re2::StringPiece match;
    if (!impl_->re.Match(input, from, text.size(), RE2::UNANCHORED, &match, 1)) break;
    const std::ptrdiff_t begin = match.data() - input.data();
    const std::ptrdiff_t end = begin + static_cast<std::ptrdiff_t>(match.size());
    if (!(match.empty() && begin == last_end)) found.emplace_back(match.data(), match.size());
    last_end = end;
    if (static_cast<std::size_t>(end) > from) {
      from = static_cast<std::size_t>(end);
    } else {
      const std::size_t length = value::Utf8Length(text.substr(from));
      from += length == 0 ? 1 : length;
    }
  }
  return found;
}

void AddRegexFunctions(FunctionTable* table) {
  table->Add("find", ".string_find_string (string, string) -> string", [](Arguments args) {
    std::string error;
    const auto regex = Regex::Compile(args[1].AsText(), &error);
    if (regex == nullptr) return Val::Error("Illegal regex: " + error);
    return Val::String(regex->Find(args[0].AsText()));
  });
  table->Add("findAll", ".string_find_all_string (string, string) -> list(string)",
             [](Arguments args) { return FindAllIn(args, -1); });
  table->Add("findAll", ".string_find_all_string_int (string, string, int) -> list(string)",
             [](Arguments args) { return FindAllIn(args, args[2].AsInt()); });
}

}  // namespace ksim::cel
