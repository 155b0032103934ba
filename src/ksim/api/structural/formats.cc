// NOLINTFILE(ksim-static): the regular expressions are made once a process.
#include "ksim/api/structural/formats.h"

#include <algorithm>
#include <string>

#include "ksim/api/core/profile.h"
#include "ksim/api/rules/ip_text.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/structural/go_regexp.h"

namespace ksim::api {
namespace {

bool IsDecimal(char c) { return c >= '0' && c <= '9'; }
bool IsHexadecimal(char c) {
  return IsDecimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string DigitsOf(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (IsDecimal(c)) digits += c;
  return digits;
}

// net/url getScheme, unescape and the rest of ParseRequestURI.
bool IsRequestUri(std::string_view text) {
  if (text.empty()) return false;
  const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), control)) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' &&
        !(i + 2 < text.size() && IsHexadecimal(text[i + 1]) && IsHexadecimal(text[i + 2])))
      return false;
  }
  if (text == "*" || text.front() == '/') return true;
  std::size_t end = 0;
  while (end < text.size() && (IsAsciiLetter(text[end]) || IsDecimal(text[end]) ||
                               text[end] == '+' || text[end] == '-' || text[end] == '.'))
    ++end;
  if (end == 0 || end == text.size() || text[end] != ':' || !IsAsciiLetter(text.front()))
    return false;
  std::string_view rest = text.substr(end + 1);
  if (!rest.starts_with("//")) return true;
  rest = rest.substr(2, rest.substr(2).find_first_of("/?#"));
  rest = rest.substr(rest.find('@') == rest.npos ? 0 : rest.rfind('@') + 1);
  static constexpr std::string_view kInHost = "-_.~!$&'()*+,;=:[]<>\"%";
  const std::size_t colon = rest.rfind(':');
  if (colon != rest.npos && rest.find(']', colon) == rest.npos &&
      !std::all_of(rest.begin() + static_cast<std::ptrdiff_t>(colon) + 1, rest.end(), IsDecimal))
    return false;
  return std::all_of(rest.begin(), rest.end(), [](char c) {
    return IsAsciiLetter(c) || IsDecimal(c) || kInHost.find(c) != kInHost.npos ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

// net/mail ParseAddress: "a@b.c", "Name <a@b.c>".
bool IsEmail(std::string_view text) {
  static const GoRegexp bare(
      R"re(^\s*([^\s"(),.:;<>@\[\\\]\x00-\x1f]+(\.[^\s"(),.:;<>@\[\\\]\x00-\x1f]+)*)re"
      R"re(|"([^"\\]|\\.)*"))re"
      R"re(@([^\s"(),.:;<>@\[\\\]]+(\.[^\s"(),.:;<>@\[\\\]]+)*)\s*$)re");
  const std::size_t open = text.find('<');
  if (open == text.npos) return bare.Matches(text);
  while (text.ends_with(" ")) text.remove_suffix(1);
  if (!text.ends_with(">")) return false;
  const std::string_view name = text.substr(0, open);
  if (name.find_first_of("@,:;()[]") != name.npos && !name.starts_with("\"")) return false;
  return bare.Matches(text.substr(open + 1, text.size() - open - 2));
}

bool IsHostname(std::string_view text) {
  static const GoRegexp pattern(
      R"re(^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|)re"
      R"re(([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,})re"
      R"re(([a-zA-Z\p{L}]){2,63})$)re");
  if (!pattern.Matches(text) || text.size() > 255) return false;
  std::size_t label = 0;
  for (const char c : text) {
    label = c == '.' ? 0 : label + 1;
    if (label > 63) return false;
  }
  return true;
}

bool IsMac(std::string_view text) {
  static const GoRegexp pattern(
      R"(^([0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}|[0-9a-fA-F]{2}(-[0-9a-fA-F]{2}){5}|)"
      R"([0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){7}|[0-9a-fA-F]{2}(-[0-9a-fA-F]{2}){7}|)"
      R"([0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){19}|[0-9a-fA-F]{2}(-[0-9a-fA-F]{2}){19}|)"
      R"([0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){2}|[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){3}|)"
      R"([0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){9})$)");
  return pattern.Matches(text);
}

bool IsIsbn10(std::string_view text) {
  std::string code;
  for (const char c : text)
    if (c != '-' && c != ' ') code += c;
  if (code.size() != 10) return false;
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    const char c = code[static_cast<std::size_t>(i)];
    if (c == 'X' && i == 9) {
      sum += 10 * 10;
    } else if (IsDecimal(c)) {
      sum += (i + 1) * (c - '0');
    } else {
      return false;
    }
  }
  return sum % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  std::string code;
  for (const char c : text)
    if (c != '-' && c != ' ') code += c;
  if (code.size() != 13 || !std::all_of(code.begin(), code.end(), IsDecimal)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 12; ++i) sum += (i % 2 == 0 ? 1 : 3) * (code[i] - '0');
  return (code[12] - '0') - ((10 - sum % 10) % 10) == 0;
}

bool IsCreditCard(std::string_view text) {
  static const GoRegexp pattern(
      R"(^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|)"
      R"(27[01][0-9]|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|)"
      R"(3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})$)");
  const std::string digits = DigitsOf(text);
  if (!pattern.Matches(digits)) return false;
  int sum = 0;
  bool doubled = false;
  for (std::size_t i = digits.size(); i-- > 0; doubled = !doubled) {
    int n = digits[i] - '0';
    if (doubled) n = n * 2 >= 10 ? n * 2 % 10 + 1 : n * 2;
    sum += n;
  }
  return sum % 10 == 0;
}

// A day that is there: 2006-01-02.
bool IsDate(std::string_view text) {
  static const GoRegexp shape(R"(^\d{4}-\d{2}-\d{2}$)");
  if (!shape.Matches(text)) return false;
  const int year = std::stoi(std::string(text.substr(0, 4)));
  const int month = std::stoi(std::string(text.substr(5, 2)));
  const int day = std::stoi(std::string(text.substr(8, 2)));
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= kDays[month - 1] + (leap && month == 2 ? 1 : 0);
}

bool IsDateTime(std::string_view text) {
  static const GoRegexp time(
      R"(^([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$)");
  std::string lower;
  for (const char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  const std::size_t t = lower.find('t');
  if (t == lower.npos || !IsDate(std::string_view(lower).substr(0, t))) return false;
  const std::string_view rest = std::string_view(lower).substr(t + 1);
  return time.Matches(rest.substr(0, rest.find('t')));
}

// time.ParseDuration, or numbers with a unit by its name.
bool IsDuration(std::string_view text) {
  static const GoRegexp go(R"(^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$)");
  static const GoRegexp scala(
      R"((?i)\d+\s*(ns|us|µs|ms|s|m|h|hr|d|w|wk|nano[a-zµ]*|micro[a-zµ]*|milli[a-zµ]*|)"
      R"(sec[a-zµ]*|min[a-zµ]*|hour[a-zµ]*|day[a-zµ]*|week[a-zµ]*)([^A-Za-zµ]|$))");
  return go.Matches(text) || scala.Matches(text);
}

bool HasUuid(std::string_view text, std::string_view third, std::string_view fourth) {
  std::string pattern = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?";
  pattern.append(third).append("-?").append(fourth).append("-?[0-9a-f]{12}$");
  return GoRegexp(pattern).Matches(text);
}

bool MatchesOnce(std::string_view text, const char* pattern) {
  return GoRegexp(pattern).Matches(text);
}

struct KnownFormat {
  std::string_view name;
  bool (*check)(std::string_view text);
  bool Profile::* since = nullptr;  // the switch without which it has no effect
};

bool IsBase64(std::string_view t) {
  return MatchesOnce(t, R"(^(?:[A-Za-z0-9+\\/]{4})*(?:[A-Za-z0-9+\\/]{2}==|[A-Za-z0-9+\\/]{3}=|)"
                        R"([A-Za-z0-9+\\/]{4})$)");
}
bool IsRgb(std::string_view t) {
  return MatchesOnce(
      t, R"(^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|)"
         R"(25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$)");
}

constexpr std::string_view kAny = "[0-9a-f]{4}";
const KnownFormat kFormats[] = {
    {"bsonobjectid", [](std::string_view t) { return MatchesOnce(t, "^[0-9a-fA-F]{24}$"); }},
    {"uri", IsRequestUri},
    {"email", IsEmail},
    {"hostname", IsHostname},
    {"ipv4", [](std::string_view t) { return IsIp(t) && t.find('.') != t.npos; }},
    {"ipv6", [](std::string_view t) { return IsIp(t) && t.find(':') != t.npos; }},
    {"cidr", IsCidr},
    {"mac", IsMac},
    {"uuid", [](std::string_view t) { return HasUuid(t, kAny, kAny); }},
    {"uuid3", [](std::string_view t) { return HasUuid(t, "3[0-9a-f]{3}", kAny); }},
    {"uuid4", [](std::string_view t) { return HasUuid(t, "4[0-9a-f]{3}", "[89ab][0-9a-f]{3}"); }},
    {"uuid5", [](std::string_view t) { return HasUuid(t, "5[0-9a-f]{3}", "[89ab][0-9a-f]{3}"); }},
    {"isbn", [](std::string_view t) { return IsIsbn10(t) || IsIsbn13(t); }},
    {"isbn10", IsIsbn10},
    {"isbn13", IsIsbn13},
    {"creditcard", IsCreditCard},
    {"ssn", [](std::string_view t) { return MatchesOnce(t, R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)"); }},
    {"hexcolor",
     [](std::string_view t) { return MatchesOnce(t, "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"); }},
    {"rgbcolor", IsRgb},
    {"byte", IsBase64},
    {"password", [](std::string_view) { return true; }},
    {"date", IsDate},
    {"duration", IsDuration},
    {"datetime", IsDateTime},
    {"k8sshortname", [](std::string_view t) { return Dns1123Label(t, kDefaultCompat).empty(); },
     &Profile::schemas_know_name_formats},
    {"k8slongname", [](std::string_view t) { return Dns1123Subdomain(t).empty(); },
     &Profile::schemas_know_name_formats},
};

const KnownFormat* FindFormat(std::string_view format) {
  std::string name;
  for (const char c : format)
    if (c != '-') name += c;
  for (const KnownFormat& f : kFormats)
    if (f.name == name) return &f;
  return nullptr;
}

}  // namespace

bool IsSupportedFormat(std::string_view format, Compat compat) {
  if (format.empty()) return false;
  const KnownFormat* const found = FindFormat(format);
  if (found == nullptr) return false;
  return found->since == nullptr || ProfileOf(compat).*(found->since);
}

bool HasFormat(std::string_view text, std::string_view format) {
  const KnownFormat* const found = FindFormat(format);
  return found == nullptr || found->check(text);
}

}  // namespace ksim::api
