#include "ksim/api/rules/ip_text.h"

#include <algorithm>

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

}  // namespace

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
