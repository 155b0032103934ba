#include "ksim/api/rules/ip_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"

namespace ksim::api {

namespace {

// A decimal number up to `max`.
bool IsNumber(std::string_view text, int max) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), absl::ascii_isdigit)) return false;
  int number = 0;
  for (const char c : text) {
    number = number * 10 + (c - '0');
    if (number > max) return false;
  }
  return true;
}

// The number of 16-bit groups in a part of an IPv6 address, -1 if it is no such part. With `tail`
// the last group may be an IPv4 address.
int Groups(std::string_view text, bool tail) {
  if (text.empty()) return 0;
  int groups = 0;
  while (true) {
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    if (colon == text.npos && tail && IsIpv4(group)) return groups + 2;
    if (group.empty() || group.size() > 4 ||
        !std::all_of(group.begin(), group.end(), absl::ascii_isxdigit)) {
      return -1;
    }
    ++groups;
    if (colon == text.npos) return groups;
    text.remove_prefix(colon + 1);
  }
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return absl::ascii_tolower(static_cast<unsigned char>(c)) - 'a' + 10;
}

int Decimal(std::string_view digits) {
  int number = 0;
  for (const char c : digits) number = number * 10 + (c - '0');
  return number;
}

bool HasLeadingZero(std::string_view digits) { return digits.size() > 1 && digits[0] == '0'; }

// Reads the dotted numbers of a valid IPv4 address.
void ReadDotted(std::string_view text, std::uint8_t* out, bool* leading_zeros) {
  for (int i = 0; i < 4; ++i) {
    const std::size_t dot = text.find('.');
    const std::string_view number = text.substr(0, dot);
    *leading_zeros = *leading_zeros || HasLeadingZero(number);
    out[i] = static_cast<std::uint8_t>(Decimal(number));
    if (dot != text.npos) text.remove_prefix(dot + 1);
  }
}

// Reads the groups of a valid part of an IPv6 address; returns how many bytes they are.
std::size_t ReadGroups(std::string_view text, ParsedIp* ip, std::size_t at) {
  const std::size_t start = at;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    if (group.find('.') != group.npos) {
      ReadDotted(group, &ip->bytes[at], &ip->leading_zeros);
      return at + 4 - start;
    }
    int number = 0;
    for (const char c : group) number = number * 16 + HexDigit(c);
    ip->bytes[at++] = static_cast<std::uint8_t>(number >> 8);
    ip->bytes[at++] = static_cast<std::uint8_t>(number);
    if (colon == text.npos) break;
    text.remove_prefix(colon + 1);
  }
  return at - start;
}

// The longest run of at least two zero groups, the first of equal ones: [begin, end) in groups.
struct ZeroRun {
  int begin = -1, end = -1;
};

ZeroRun LongestZeroRun(const std::array<std::uint8_t, 16>& bytes) {
  ZeroRun best;
  for (int i = 0; i < 8; ++i) {
    int j = i;
    while (j < 8 && bytes[static_cast<std::size_t>(2 * j)] == 0 &&
           bytes[static_cast<std::size_t>(2 * j + 1)] == 0)
      ++j;
    if (j - i > std::max(1, best.end - best.begin)) best = {i, j};
    i = std::max(i, j - 1);
  }
  return best;
}

}  // namespace

bool ParsedIp::Maps4() const {
  return std::all_of(bytes.begin(), bytes.begin() + 10, [](std::uint8_t b) { return b == 0; }) &&
         bytes[10] == 0xff && bytes[11] == 0xff;
}

std::string ParsedIp::ToString() const {
  if (Maps4()) return fmt::format("{}.{}.{}.{}", bytes[12], bytes[13], bytes[14], bytes[15]);
  const ZeroRun zeros = LongestZeroRun(bytes);
  std::string out;
  for (int i = 0; i < 8; ++i) {
    if (i == zeros.begin) {
      out += "::";
      i = zeros.end - 1;
      continue;
    }
    if (!out.empty() && !out.ends_with(':')) out += ':';
    const auto at = static_cast<std::size_t>(2 * i);
    out += fmt::format("{:x}", bytes[at] << 8 | bytes[at + 1]);
  }
  return out;
}

ParsedIp ParsedIp::Masked(int bits) const {
  ParsedIp out = *this;
  const int kept = written_v4 ? bits + 96 : bits;
  for (int i = 0; i < 16; ++i) {
    const int here = std::clamp(kept - 8 * i, 0, 8);
    out.bytes[static_cast<std::size_t>(i)] &= static_cast<std::uint8_t>(0xff << (8 - here));
  }
  return out;
}

std::optional<ParsedIp> ParseIp(std::string_view text) {
  ParsedIp ip;
  if (IsIpv4(text)) {
    ip.written_v4 = true;
    ip.bytes[10] = ip.bytes[11] = 0xff;
    ReadDotted(text, &ip.bytes[12], &ip.leading_zeros);
    return ip;
  }
  if (!IsIpv6(text)) return std::nullopt;
  const std::size_t gap = text.find("::");
  ReadGroups(text.substr(0, gap), &ip, 0);
  if (gap == text.npos) return ip;
  ParsedIp tail;
  const std::size_t size = ReadGroups(text.substr(gap + 2), &tail, 0);
  std::copy_n(tail.bytes.begin(), size, ip.bytes.end() - static_cast<std::ptrdiff_t>(size));
  ip.leading_zeros = ip.leading_zeros || tail.leading_zeros;
  return ip;
}

std::optional<ParsedCidr> ParseCidr(std::string_view text) {
  if (!IsCidr(text)) return std::nullopt;
  const std::size_t slash = text.find('/');
  ParsedCidr prefix;
  prefix.address = *ParseIp(text.substr(0, slash));
  prefix.bits = Decimal(text.substr(slash + 1));
  prefix.leading_zeros = HasLeadingZero(text.substr(slash + 1));
  return prefix;
}

bool IsIpv4(std::string_view text) {
  for (int i = 0; i < 4; ++i) {
    const std::size_t dot = text.find('.');
    if (!IsNumber(text.substr(0, dot), 255)) return false;
    if (i == 3) return dot == text.npos;
    if (dot == text.npos) return false;
    text.remove_prefix(dot + 1);
  }
  return false;
}

bool IsIpv6(std::string_view text) {
  const std::size_t gap = text.find("::");
  if (gap == text.npos) return Groups(text, true) == 8;
  const int before = Groups(text.substr(0, gap), false);
  const int after = Groups(text.substr(gap + 2), true);
  return before >= 0 && after >= 0 && before + after < 8;
}

bool IsCidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return false;
  const std::string_view address = text.substr(0, slash);
  const std::string_view bits = text.substr(slash + 1);
  return (IsIpv4(address) && IsNumber(bits, 32)) || (IsIpv6(address) && IsNumber(bits, 128));
}

}  // namespace ksim::api
