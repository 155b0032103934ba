#include "ksim/value/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <system_error>

#include "ksim/value/json.h"
#include "ksim/value/text.h"

namespace ksim::value {
namespace {

__extension__ using Amount = __int128;
__extension__ using UnsignedAmount = unsigned __int128;
using Format = Quantity::Format;

constexpr std::int64_t kUnit = 1'000'000'000;  // nanos
constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();
constexpr UnsignedAmount kMaxAmount = ~UnsignedAmount{0} >> 1;
constexpr int kMaxFastDigits = 18;

constexpr char kFormError[] =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr char kNumberError[] = "unable to parse numeric part of quantity";
constexpr char kSuffixError[] = "unable to parse quantity's suffix";

struct QuantityParts {
  bool negative = false;
  bool digits = false;        // there are digits
  std::string_view whole;     // without leading zeros, "0" if nothing is left
  std::string_view fraction;  // digits behind the point
  std::string_view suffix;
};

std::string_view TakeDigits(std::string_view* s) {
  const auto end = std::find_if_not(s->begin(), s->end(), IsDigit);
  const std::string_view digits = s->substr(0, static_cast<std::size_t>(end - s->begin()));
  s->remove_prefix(digits.size());
  return digits;
}

// Upstream: parseQuantityString.
std::optional<QuantityParts> SplitQuantity(std::string_view s) {
  QuantityParts parts;
  parts.negative = s.starts_with('-');
  if (parts.negative || s.starts_with('+')) s.remove_prefix(1);
  parts.digits = s.starts_with('0');
  while (s.starts_with('0')) s.remove_prefix(1);
  parts.whole = TakeDigits(&s);
  if (s.starts_with('.')) {
    s.remove_prefix(1);
    parts.fraction = TakeDigits(&s);
  }
  parts.digits = parts.digits || !parts.whole.empty() || !parts.fraction.empty();
  if (parts.whole.empty()) parts.whole = "0";
  parts.suffix = s;
  const std::size_t letters = std::min(s.find_first_not_of("eEinumkKMGTP"), s.size());
  s.remove_prefix(letters);
  if (s.starts_with('-') || s.starts_with('+')) s.remove_prefix(1);
  TakeDigits(&s);
  if (!s.empty()) return std::nullopt;
  return parts;
}

struct Suffix {
  int base = 10;
  std::int64_t exponent = 0;
  Format format = Format::kDecimalSI;
};

struct NamedSuffix {
  std::string_view text;
  int base;
  int exponent;
};
constexpr NamedSuffix kSuffixes[] = {
    {"n", 10, -9}, {"u", 10, -6}, {"m", 10, -3}, {"", 10, 0},   {"k", 10, 3},  {"M", 10, 6},
    {"G", 10, 9},  {"T", 10, 12}, {"P", 10, 15}, {"E", 10, 18}, {"Ki", 2, 10}, {"Mi", 2, 20},
    {"Gi", 2, 30}, {"Ti", 2, 40}, {"Pi", 2, 50}, {"Ei", 2, 60},
};

std::string_view SuffixText(int base, int exponent) {
  for (const NamedSuffix& s : kSuffixes) {
    if (s.base == base && s.exponent == exponent) return s.text;
  }
  return "";
}

std::optional<Suffix> ReadSuffix(std::string_view text) {
  for (const NamedSuffix& s : kSuffixes) {
    if (s.text != text) continue;
    return Suffix{s.base, s.exponent, s.base == 2 ? Format::kBinarySI : Format::kDecimalSI};
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  const auto exponent = ParseGoInt(text.substr(1));
  if (!exponent) return std::nullopt;
  return Suffix{10, *exponent, Format::kDecimalExponent};
}

// Twice a number in decimal digits.
void Double(std::string* digits) {
  int carry = 0;
  for (auto c = digits->rbegin(); c != digits->rend(); ++c) {
    const int n = (*c - '0') * 2 + carry;
    *c = static_cast<char>('0' + n % 10);
    carry = n / 10;
  }
  if (carry > 0) digits->insert(digits->begin(), static_cast<char>('0' + carry));
}

// The nanos of digits * 10^exponent, rounded up; nothing if they do not fit.
std::optional<UnsignedAmount> ToNanos(std::string digits, std::int64_t exponent) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return 0;
  const std::int64_t shift = exponent + 9;
  const auto size = static_cast<std::int64_t>(digits.size());
  if (shift > 40 || size + shift > 40) return std::nullopt;
  if (size + shift <= 0) return 1;
  const auto kept = static_cast<std::size_t>(std::min(size, size + shift));
  const bool round_up = digits.find_first_not_of('0', kept) != std::string::npos;
  digits.resize(static_cast<std::size_t>(size + shift), '0');
  UnsignedAmount nanos = 0;
  for (const char c : digits) {
    const auto digit = static_cast<UnsignedAmount>(c - '0');
    if (nanos > (kMaxAmount - digit) / 10) return std::nullopt;
    nanos = nanos * 10 + digit;
  }
  if (round_up && nanos == kMaxAmount) return std::nullopt;
  return nanos + (round_up ? 1 : 0);
}

// Upstream keeps the text of a number that its quick path takes and that looks canonical, even if
// it is not ("+1", "1.500").
bool KeepsText(const QuantityParts& parts, const Suffix& suffix) {
  const auto digits = static_cast<int>(parts.whole.size() + parts.fraction.size());
  if (suffix.base == 2) {
    if (!parts.fraction.empty()) return false;
    const auto exponent = static_cast<int>(suffix.exponent);
    const auto whole = ParseGoInt(parts.whole);
    return 15 - digits - exponent * 3 / 10 - 1 >= 0 && whole && (*whole & 7) != 0;
  }
  const std::int64_t scale = suffix.exponent - static_cast<std::int64_t>(parts.fraction.size());
  std::string all = std::string(parts.whole) + std::string(parts.fraction);
  return kMaxFastDigits - digits >= 0 && scale >= -9 && scale % 3 == 0 && !all.ends_with("000") &&
         all.front() != '0';
}

// |amount| without its factors of `base`, and how many there were.
int RemoveFactors(Amount* amount, int base, int at_most) {
  int times = 0;
  for (; times < at_most && *amount % base == 0; ++times) *amount /= base;
  return times;
}

std::string Decimal(Amount amount) {
  const bool negative = amount < 0;
  UnsignedAmount n = negative ? UnsignedAmount{0} - static_cast<UnsignedAmount>(amount)
                              : static_cast<UnsignedAmount>(amount);
  std::string text;
  do {
    text += static_cast<char>('0' + static_cast<int>(n % 10));
    n /= 10;
  } while (n > 0);
  if (negative) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

// Up to 12 digits and a decimal suffix from "m" to "G", or a binary one to "Ti", as nearly all are.
std::optional<Amount> PlainNanos(std::string_view text, Format* format, bool* keeps_text) {
  std::int64_t whole = 0;
  std::size_t i = 0;
  for (; i < text.size() && i < 13 && IsDigit(text[i]); ++i) whole = whole * 10 + (text[i] - '0');
  if (i == 0 || i > 12 || text[0] == '0') return std::nullopt;
  const std::string_view suffix = text.substr(i);
  for (const NamedSuffix& s : kSuffixes) {
    if (s.text != suffix) continue;
    if (s.base == 2 ? s.exponent > 40 : s.exponent < -3 || s.exponent > 9) return std::nullopt;
    *format = s.base == 2 ? Format::kBinarySI : Format::kDecimalSI;
    if (s.base == 2) {
      *keeps_text = 15 - static_cast<int>(i) - s.exponent * 3 / 10 - 1 >= 0 && (whole & 7) != 0;
      const Amount nanos = (static_cast<Amount>(whole) << s.exponent) * kUnit;
      if (nanos > static_cast<Amount>(kMaxInt) * kUnit) return std::nullopt;
      return nanos;
    }
    *keeps_text = whole % 1000 != 0;
    Amount nanos = static_cast<Amount>(whole);
    for (int e = -9; e < s.exponent; ++e) nanos *= 10;
    return nanos;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<Quantity> Quantity::Parse(std::string_view text) {
  if (text.empty()) return InvalidText(kFormError);
  Quantity plain;
  bool keeps_text = false;
  if (const auto nanos = PlainNanos(text, &plain.format_, &keeps_text)) {
    plain.nanos_ = *nanos;
    if (keeps_text) plain.text_ = text;
    return plain;
  }
  const auto parts = SplitQuantity(text);
  if (!parts) return InvalidText(kFormError);
  const auto suffix = ReadSuffix(parts->suffix);
  if (!suffix) return InvalidText(kSuffixError);
  // Upstream's quick path takes no digits for 0; its decimals do not ("Pi", "e-12").
  const bool quick = suffix->base == 2 ? suffix->exponent < 50 : suffix->exponent >= -9;
  if (!parts->digits && !quick) return InvalidText(kNumberError);

  std::string digits = std::string(parts->whole) + std::string(parts->fraction);
  std::int64_t exponent = -static_cast<std::int64_t>(parts->fraction.size());
  if (suffix->base == 2) {
    for (std::int64_t i = 0; i < suffix->exponent; ++i) Double(&digits);
  } else if (__builtin_add_overflow(exponent, suffix->exponent, &exponent)) {
    return InvalidText(kNumberError);
  }
  auto nanos = ToNanos(std::move(digits), std::clamp<std::int64_t>(exponent, -1 << 30, 1 << 30));
  Quantity q;
  q.format_ = suffix->format;
  constexpr UnsignedAmount kMaxBinary = static_cast<UnsignedAmount>(kMaxInt) * kUnit;
  if (suffix->base == 2 && (!nanos || *nanos > kMaxBinary)) nanos = kMaxBinary;
  if (!nanos) return InvalidText(kNumberError);
  if (suffix->base == 2 && *nanos > 0 && *nanos < kUnit) q.format_ = Format::kDecimalSI;
  q.nanos_ = parts->negative ? -static_cast<Amount>(*nanos) : static_cast<Amount>(*nanos);
  if (KeepsText(*parts, *suffix)) q.text_ = text;
  return q;
}

absl::StatusOr<Quantity> Quantity::FromTree(const ksim::value::Value& v) {
  if (v.is_null()) return Quantity();
  if (v.is_string()) {
    std::string_view text = v.AsString();
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return Parse(text);
  }
  return v.is_number() ? Parse(ToJson(v)) : InvalidText(kFormError);
}

Quantity Quantity::FromInt(std::int64_t value, Format format) {
  Quantity q;
  q.nanos_ = static_cast<Amount>(value) * kUnit;
  q.format_ = format;
  return q;
}

Quantity Quantity::FromMilli(std::int64_t milli, Format format) {
  Quantity q;
  q.nanos_ = static_cast<Amount>(milli) * (kUnit / 1000);
  q.format_ = format;
  return q;
}

std::int64_t Quantity::RoundedTo(std::int64_t unit) const {
  Amount result = nanos_ / unit;
  if (nanos_ % unit != 0) result += nanos_ < 0 ? -1 : 1;
  const Amount low = std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(std::clamp<Amount>(result, low, kMaxInt));
}

std::int64_t Quantity::Value() const { return RoundedTo(kUnit); }
std::int64_t Quantity::MilliValue() const { return RoundedTo(kUnit / 1000); }

Quantity& Quantity::operator+=(const Quantity& o) {
  if (is_zero()) format_ = o.format_;
  const bool over = __builtin_add_overflow(nanos_, o.nanos_, &nanos_);
  if (over) nanos_ = static_cast<Amount>(kMaxAmount) * o.Sign();
  text_.clear();
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& o) {
  if (is_zero()) format_ = o.format_;
  const bool over = __builtin_sub_overflow(nanos_, o.nanos_, &nanos_);
  if (over) nanos_ = static_cast<Amount>(kMaxAmount) * -o.Sign();
  text_.clear();
  return *this;
}

Quantity Quantity::operator-() const {
  Quantity q = *this;
  q.nanos_ = -nanos_;
  q.text_.clear();
  return q;
}

std::string Quantity::ToString() const { return text_.empty() ? CanonicalText() : text_; }

// Upstream: CanonicalizeBytes.
std::string Quantity::CanonicalText() const {
  if (is_zero()) return "0";
  Amount amount = nanos_;
  const Amount thousand_binary = static_cast<Amount>(1024) * kUnit;
  const bool small = amount > -thousand_binary && amount < thousand_binary;
  if (format_ == Format::kBinarySI && !small && amount % kUnit == 0) {
    amount /= kUnit;
    const int times = RemoveFactors(&amount, 1024, 6);
    return Decimal(amount) + std::string(SuffixText(2, 10 * times));
  }
  const bool exponential = format_ == Format::kDecimalExponent;
  const int exponent = 3 * RemoveFactors(&amount, 1000, exponential ? 100 : 9) - 9;
  if (!exponential) return Decimal(amount) + std::string(SuffixText(10, exponent));
  return exponent == 0 ? Decimal(amount) : fmt::format("{}e{}", Decimal(amount), exponent);
}

}  // namespace ksim::value
