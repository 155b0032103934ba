// Rules of the texts of label keys and values, declared in selector.h: apimachinery
// pkg/api/validate/content (kube.go, dns.go), with its messages.
#include "ksim/value/selector.h"

namespace ksim::value {
namespace {

constexpr std::size_t kMaxName = 63;
constexpr std::size_t kMaxSubdomain = 253;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsAlphanumeric(char c) {
  return IsLower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
bool IsName(std::string_view s) {
  if (s.empty() || !IsAlphanumeric(s.front()) || !IsAlphanumeric(s.back())) return false;
  for (const char c : s) {
    if (!IsAlphanumeric(c) && c != '-' && c != '_' && c != '.') return false;
  }
  return true;
}

bool IsDnsLabel(std::string_view s) {
  const auto inner = [](char c) { return IsLower(c) || (c >= '0' && c <= '9'); };
  if (s.empty() || !inner(s.front()) || !inner(s.back())) return false;
  for (const char c : s) {
    if (!inner(c) && c != '-') return false;
  }
  return true;
}

bool IsSubdomain(std::string_view s) {
  while (true) {
    const std::size_t dot = s.find('.');
    if (!IsDnsLabel(s.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    s.remove_prefix(dot + 1);
  }
}

std::string MaxLength(std::size_t n) {
  return "must be no more than " + std::to_string(n) + " bytes";
}

constexpr char kNameRule[] =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr char kValueRule[] =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr char kSubdomainRule[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

void AddPrefixProblems(std::string_view prefix, std::vector<std::string>* problems) {
  if (prefix.empty()) {
    problems->push_back("prefix part must be non-empty");
    return;
  }
  if (prefix.size() > kMaxSubdomain) problems->push_back("prefix part " + MaxLength(kMaxSubdomain));
  if (!IsSubdomain(prefix)) problems->push_back(std::string("prefix part ") + kSubdomainRule);
}

}  // namespace

std::vector<std::string> LabelKeyProblems(std::string_view key) {
  std::vector<std::string> problems;
  const std::size_t slash = key.find('/');
  std::string_view name = key;
  if (slash != std::string_view::npos) {
    name = key.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {std::string("a valid label key ") + kNameRule +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    AddPrefixProblems(key.substr(0, slash), &problems);
  }
  if (name.empty()) {
    problems.push_back("name part must be non-empty");
  } else if (name.size() > kMaxName) {
    problems.push_back("name part " + MaxLength(kMaxName));
  }
  if (!IsName(name)) problems.push_back(std::string("name part ") + kNameRule);
  return problems;
}

std::vector<std::string> LabelValueProblems(std::string_view value) {
  std::vector<std::string> problems;
  if (value.size() > kMaxName) problems.push_back(MaxLength(kMaxName));
  if (!value.empty() && !IsName(value)) problems.push_back(kValueRule);
  return problems;
}

}  // namespace ksim::value
