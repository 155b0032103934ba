#include "ksim/value/yaml_schema.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>

#include "ksim/value/json.h"
#include "ksim/value/number.h"
#include "ksim/value/text.h"
#include "ksim/value/timestamp.h"

namespace ksim::value {
namespace {

template <std::size_t N>
bool IsOneOf(std::string_view s, const std::string_view (&list)[N]) {
  return std::find(list, list + N, s) != list + N;
}

constexpr std::string_view kNulls[] = {"", "~", "null", "Null", "NULL"};
constexpr std::string_view kTrue[] = {"true", "True", "TRUE"};
constexpr std::string_view kFalse[] = {"false", "False", "FALSE"};
constexpr std::string_view kInfinity[] = {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"};
constexpr std::string_view kMinusInfinity[] = {"-.inf", "-.Inf", "-.INF"};
constexpr std::string_view kNan[] = {".nan", ".NaN", ".NAN"};
constexpr std::string_view kTrue11[] = {"y", "Y", "yes", "Yes", "YES", "on", "On", "ON"};
constexpr std::string_view kFalse11[] = {"n", "N", "no", "No", "NO", "off", "Off", "OFF"};

std::string_view WithoutSign(std::string_view s) {
  return s.starts_with('+') || s.starts_with('-') ? s.substr(1) : s;
}

bool AllDigits(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), IsDigit);
}

void SkipDigits(std::string_view* s) {
  while (!s->empty() && IsDigit(s->front())) s->remove_prefix(1);
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool IsFloat(std::string_view s) {
  s = WithoutSign(s);
  if (s.starts_with('.')) {
    s.remove_prefix(1);
    if (s.empty() || !IsDigit(s.front())) return false;
    SkipDigits(&s);
  } else {
    if (s.empty() || !IsDigit(s.front())) return false;
    SkipDigits(&s);
    if (s.starts_with('.')) s.remove_prefix(1);
    SkipDigits(&s);
  }
  if (s.empty()) return true;
  if (s.front() != 'e' && s.front() != 'E') return false;
  return AllDigits(WithoutSign(s.substr(1)));
}

int DigitValue(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return IsDigit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

// The double nearest to an integer beyond 64 bits.
double HugeInteger(std::string_view digits, int base) {
  double d = 0;
  if (base == 10 || base == 16) {
    const auto format = base == 10 ? std::chars_format::general : std::chars_format::hex;
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), d, format);
    return ec == std::errc() ? d : std::numeric_limits<double>::infinity();
  }
  for (const char c : digits) d = d * base + DigitValue(c);  // may be off in the last place
  return d;
}

// An integer of any size: exact within int64, else a double.
std::optional<Value> IntegerInBase(std::string_view digits, int base, bool negative) {
  if (digits.empty()) return std::nullopt;
  std::uint64_t exact = 0;
  bool fits = true;
  for (const char c : digits) {
    const int digit = DigitValue(c);
    if (digit >= base) return std::nullopt;
    const auto b = static_cast<std::uint64_t>(base);
    fits = fits && !__builtin_mul_overflow(exact, b, &exact) &&
           !__builtin_add_overflow(exact, static_cast<std::uint64_t>(digit), &exact);
  }
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (fits && exact <= kMax + (negative ? 1 : 0)) {
    return Value::Int(static_cast<std::int64_t>(negative ? 0 - exact : exact));
  }
  const double d = fits ? static_cast<double>(exact) : HugeInteger(digits, base);
  return Value::Double(negative ? -d : d);
}

std::optional<Value> NamedConstant(std::string_view s) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (IsOneOf(s, kNulls)) return Value();
  if (IsOneOf(s, kTrue)) return Value::Bool(true);
  if (IsOneOf(s, kFalse)) return Value::Bool(false);
  if (IsOneOf(s, kInfinity)) return Value::Double(kInf);
  if (IsOneOf(s, kMinusInfinity)) return Value::Double(-kInf);
  if (IsOneOf(s, kNan)) return Value::Double(std::numeric_limits<double>::quiet_NaN());
  return std::nullopt;
}

Value FloatValue(std::string_view s) {
  if (auto v = NumberValue(s)) return v->is_int() ? Value::Double(v->AsDouble()) : *v;
  const double inf = std::numeric_limits<double>::infinity();
  return Value::Double(s.starts_with('-') ? -inf : inf);
}

// Go's ParseInt with base 0: 0x, 0o, 0b, a leading 0 for octal, a sign before any of them.
std::optional<Value> GoInteger(std::string_view s) {
  const bool negative = s.starts_with('-');
  s = WithoutSign(s);
  if (s.size() > 2 && s[0] == '0') {
    const char kind = static_cast<char>(s[1] | 0x20);
    const int base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 0;
    if (base != 0) return IntegerInBase(s.substr(2), base, negative);
  }
  if (s.size() > 1 && s[0] == '0') return IntegerInBase(s.substr(1), 8, negative);
  return IntegerInBase(s, 10, negative);
}

// A number of one or two digits within bounds; moves past it.
bool TakeNumber(std::string_view* s, int low, int high) {
  int n = 0;
  std::size_t digits = 0;
  for (; digits < 2 && digits < s->size() && IsDigit((*s)[digits]); ++digits) {
    n = n * 10 + ((*s)[digits] - '0');
  }
  s->remove_prefix(digits);
  return digits > 0 && n >= low && n <= high;
}

bool TakeChar(std::string_view* s, char c) {
  if (!s->starts_with(c)) return false;
  s->remove_prefix(1);
  return true;
}

bool TakeClock(std::string_view* s) {
  if (!TakeNumber(s, 0, 23) || !TakeChar(s, ':') || !TakeNumber(s, 0, 59) || !TakeChar(s, ':') ||
      !TakeNumber(s, 0, 59)) {
    return false;
  }
  if (s->size() > 1 && (s->front() == '.' || s->front() == ',') && IsDigit((*s)[1])) {
    s->remove_prefix(1);
    SkipDigits(s);
  }
  return true;
}

bool IsZone(std::string_view s) {
  if (s == "Z") return true;
  return s.size() == 6 && (s[0] == '+' || s[0] == '-') && AllDigits(s.substr(1, 2)) &&
         s[3] == ':' && AllDigits(s.substr(4));
}

// goyaml.v2's four timestamp formats. (A 31st of February is taken for one, too.)
bool IsTimestamp(std::string_view s) {
  if (s.size() < 8 || !AllDigits(s.substr(0, 4))) return false;
  s.remove_prefix(4);
  if (!TakeChar(&s, '-') || !TakeNumber(&s, 1, 12) || !TakeChar(&s, '-') ||
      !TakeNumber(&s, 1, 31)) {
    return false;
  }
  if (s.empty()) return true;
  if (TakeChar(&s, ' ')) return TakeClock(&s) && s.empty();
  return (TakeChar(&s, 'T') || TakeChar(&s, 't')) && TakeClock(&s) && IsZone(s);
}

// [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?
bool IsBase60(std::string_view s) {
  const auto is_digit_or_bar = [](char c) { return IsDigit(c) || c == '_'; };
  s = WithoutSign(s);
  if (s.empty() || !IsDigit(s.front())) return false;
  while (!s.empty() && is_digit_or_bar(s.front())) s.remove_prefix(1);
  if (!s.starts_with(':')) return false;
  while (TakeChar(&s, ':')) {
    if (!TakeNumber(&s, 0, 59)) return false;
  }
  if (TakeChar(&s, '.')) return std::all_of(s.begin(), s.end(), is_digit_or_bar);
  return s.empty();
}

std::string Describe(const Value& v) {
  if (v.is_null()) return "null";
  const std::string text = ToJson(v);
  return "the " + std::string(v.type_name()) + " " + (text == "null" ? "infinity or NaN" : text);
}

bool SameMeaning(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    return a.AsDouble() == b.AsDouble() || (std::isnan(a.AsDouble()) && std::isnan(b.AsDouble()));
  }
  return a == b;
}

}  // namespace

Value ResolveCore(std::string_view plain) {
  if (const auto v = NamedConstant(plain)) return *v;
  if (plain.starts_with("0o") || plain.starts_with("0x")) {
    const auto v = IntegerInBase(plain.substr(2), plain[1] == 'o' ? 8 : 16, false);
    return v ? *v : Value::String(plain);
  }
  if (AllDigits(WithoutSign(plain))) {
    return *IntegerInBase(WithoutSign(plain), 10, plain.starts_with('-'));
  }
  return IsFloat(plain) ? FloatValue(plain) : Value::String(plain);
}

KubectlScalar ResolveKubectl(std::string_view plain) {
  KubectlScalar out;
  out.value = Value::String(plain);
  if (const auto v = NamedConstant(plain)) {
    out.value = *v;
  } else if (IsOneOf(plain, kTrue11) || IsOneOf(plain, kFalse11)) {
    out.value = Value::Bool(IsOneOf(plain, kTrue11));
  } else if (plain == "<<") {
    out.merge = true;
  } else if (plain.starts_with('.')) {
    if (IsFloat(plain)) out.value = FloatValue(plain);
  } else if (IsTimestamp(plain)) {
    out.timestamp = true;
  } else if (IsDigit(plain.front()) || plain.front() == '+' || plain.front() == '-') {
    std::string digits(plain);
    std::erase(digits, '_');
    if (const auto i = GoInteger(digits)) {
      out.value = *i;
    } else if (IsFloat(digits)) {
      out.value = FloatValue(digits);
    }
  }
  return out;
}

bool IsFileMode(std::string_view plain) {
  return plain.size() == 4 && plain.front() == '0' && AllDigits(plain) && GoInteger(plain);
}

std::string KubectlDifference(std::string_view plain) {
  if (IsFileMode(plain)) return "";
  const KubectlScalar theirs = ResolveKubectl(plain);
  return SameMeaning(theirs.value, ResolveCore(plain)) ? "" : Describe(theirs.value);
}

std::string KubectlKeyDifference(std::string_view plain) {
  const KubectlScalar theirs = ResolveKubectl(plain);
  if (theirs.merge) return "a merge of the mapping it names";
  if (theirs.value.is_string()) return "";
  return ToJson(theirs.value) == plain ? "" : Describe(theirs.value);
}

bool IsPlainString(std::string_view text) {
  const KubectlScalar kubectls = ResolveKubectl(text);
  return kubectls.value.is_string() && !kubectls.timestamp && !kubectls.merge && !IsBase60(text);
}

}  // namespace ksim::value
