#include "ksim/api/rules/name_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/profile.h"
#include "ksim/api/rules/ip_text.h"
#include "ksim/value/selector.h"

namespace ksim::api {

namespace {

constexpr std::size_t kLabelMax = 63;
constexpr std::size_t kSubdomainMax = 253;

bool IsLowerCase(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return IsLowerCase(c) || (c >= 'A' && c <= 'Z'); }
bool IsLabelEnd(char c) { return IsLowerCase(c) || IsDigit(c); }

// [a-z0-9]([-a-z0-9]*[a-z0-9])?
bool MatchesLabel(std::string_view s) {
  return !s.empty() && IsLabelEnd(s.front()) && IsLabelEnd(s.back()) &&
         std::all_of(s.begin(), s.end(), [](char c) { return IsLabelEnd(c) || c == '-'; });
}

bool MatchesSubdomain(std::string_view s) {
  while (true) {
    const std::size_t dot = s.find('.');
    if (!MatchesLabel(s.substr(0, dot))) return false;
    if (dot == s.npos) return true;
    s.remove_prefix(dot + 1);
  }
}

std::string TooLong(std::size_t max) {
  return fmt::format("must be no more than {} characters", max);
}

constexpr std::string_view kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kUnderscoreRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' "
    "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is "
    "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view k1035Rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kEnvRule =
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or "
    "'.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or "
    "'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";
constexpr std::string_view kRelaxedEnvRule =
    "a valid environment variable name must consist only of printable ASCII characters other than "
    "'='";
constexpr std::string_view kConfigKeyRule =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', "
    " or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

void AddDirPrefix(std::string_view value, NameProblems* problems) {
  if (value == ".") {
    problems->push_back("must not be '.'");
  } else if (value == "..") {
    problems->push_back("must not be '..'");
  } else if (value.starts_with("..")) {
    problems->push_back("must not start with '..'");
  }
}

NameProblems Reworded(NameProblems problems, Compat compat) {
  for (std::string& text : problems) text = WordedFor(std::move(text), compat);
  return problems;
}

}  // namespace

NameProblems Dns1123Label(std::string_view name, Compat compat) {
  NameProblems problems;
  if (name.size() > kLabelMax) problems.push_back(TooLong(kLabelMax));
  if (!MatchesLabel(name)) {
    const bool dots = ProfileOf(compat).label_names_dots && MatchesSubdomain(name);
    problems.emplace_back(dots ? "must not contain dots" : kLabelRule);
  }
  return problems;
}

NameProblems Dns1123Subdomain(std::string_view name) {
  NameProblems problems;
  if (name.size() > kSubdomainMax) problems.push_back(TooLong(kSubdomainMax));
  if (!MatchesSubdomain(name)) problems.emplace_back(kSubdomainRule);
  return problems;
}

NameProblems Dns1035Label(std::string_view name) {
  NameProblems problems;
  if (name.size() > kLabelMax) problems.push_back(TooLong(kLabelMax));
  if (!MatchesLabel(name) || !IsLowerCase(name.front())) problems.emplace_back(k1035Rule);
  return problems;
}

NameProblems PathSegmentName(std::string_view name) {
  if (name == "." || name == "..") return {fmt::format("may not be '{}'", name)};
  return PathSegmentPrefix(name);
}

NameProblems PathSegmentPrefix(std::string_view name) {
  NameProblems problems;
  for (const char illegal : {'/', '%'}) {
    if (name.find(illegal) != name.npos)
      problems.push_back(fmt::format("may not contain '{}'", illegal));
  }
  return problems;
}

NameProblems PortNumber(std::int64_t port) {
  if (port >= 1 && port <= 65535) return {};
  return {"must be between 1 and 65535, inclusive"};
}

NameProblems PortName(std::string_view name) {
  NameProblems problems;
  if (name.size() > 15) problems.push_back(TooLong(15));
  const auto allowed = [](char c) { return IsLabelEnd(c) || c == '-'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), allowed)) {
    problems.push_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!std::any_of(name.begin(), name.end(), IsLowerCase)) {
    problems.push_back("must contain at least one letter (a-z)");
  }
  if (name.find("--") != name.npos) problems.push_back("must not contain consecutive hyphens");
  if (!name.empty() && (name.front() == '-' || name.back() == '-')) {
    problems.push_back("must not begin or end with a hyphen");
  }
  return problems;
}

NameProblems EnvVarName(std::string_view name, Compat compat) {
  NameProblems problems;
  if (ProfileOf(compat).relaxed_env_names) {
    if (name.empty()) problems.push_back("environment variable name must be non-empty");
    const bool good = std::all_of(name.begin(), name.end(),
                                  [](char c) { return c >= 0x20 && c < 0x7f && c != '='; });
    if (!good) problems.emplace_back(kRelaxedEnvRule);
    return problems;
  }
  const auto allowed = [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '-' || c == '.' || c == '_';
  };
  if (name.empty() || IsDigit(name.front()) || !std::all_of(name.begin(), name.end(), allowed)) {
    problems.emplace_back(kEnvRule);
  }
  AddDirPrefix(name, &problems);
  return problems;
}

NameProblems ConfigMapKey(std::string_view key) {
  NameProblems problems;
  if (key.size() > kSubdomainMax) problems.push_back(TooLong(kSubdomainMax));
  const auto allowed = [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '-' || c == '.' || c == '_';
  };
  if (key.empty() || !std::all_of(key.begin(), key.end(), allowed)) {
    problems.emplace_back(kConfigKeyRule);
  }
  AddDirPrefix(key, &problems);
  return problems;
}

NameProblems HttpHeaderName(std::string_view name) {
  const auto allowed = [](char c) { return IsLetter(c) || IsDigit(c) || c == '-'; };
  if (!name.empty() && std::all_of(name.begin(), name.end(), allowed)) return {};
  return {
      "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', "
      "regex used for validation is '[-A-Za-z0-9]+')"};
}

NameProblems UnderscoreSubdomain(std::string_view name) {
  NameProblems problems;
  if (name.size() > kSubdomainMax) problems.push_back(TooLong(kSubdomainMax));
  // An underscore at a label's beginning is dropped; one within counts as a dash.
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool first = i == 0 || name[i - 1] == '.';
    if (name[i] != '_') plain += name[i];
    if (name[i] == '_' && !first) plain += '-';
  }
  if (!MatchesSubdomain(plain)) problems.emplace_back(kUnderscoreRule);
  return problems;
}

NameProblems IpAddress(std::string_view text) {
  if (IsIp(text)) return {};
  return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
}

NameProblems QualifiedName(std::string_view name, Compat compat) {
  return Reworded(value::LabelKeyProblems(name), compat);
}

NameProblems LabelValue(std::string_view value, Compat compat) {
  return Reworded(value::LabelValueProblems(value), compat);
}

std::string WordedFor(std::string text, Compat compat) {
  if (ProfileOf(compat).labels_worded_by_content) return text;
  if (text.ends_with(" bytes")) text.replace(text.size() - 5, 5, "characters");
  constexpr std::string_view kKey = "a valid label key ";
  if (const std::size_t at = text.find(kKey); at != text.npos) {
    text.replace(at, kKey.size(), "a qualified name ");
  }
  return text;
}

std::string MaskTrailingDash(std::string_view name) {
  if (name.size() > 1 && name.ends_with('-')) {
    return std::string(name.substr(0, name.size() - 2)) + "a";
  }
  return std::string(name);
}

}  // namespace ksim::api
