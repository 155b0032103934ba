#include "ksim/cel/functions/ip.h"

#include <algorithm>

#include "ksim/value/text.h"

namespace ksim::cel {
namespace {

// netip's parseAddrError.
std::string Problem(std::string_view text, const std::string& why, std::string_view at = "") {
  std::string problem = "ParseAddr(" + value::GoQuote(text) + "): " + why;
  if (!at.empty()) problem += " (at " + value::GoQuote(at) + ")";
  return problem;
}

bool ParseFour(std::string_view whole, std::string_view text, std::uint8_t* out,
               std::string* error) {
  int field = 0;
  int number = 0;
  int digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (value::IsDigit(text[i])) {
      if (digits == 1 && number == 0) {
        *error = Problem(whole, "IPv4 field has octet with leading zero");
        return false;
      }
      number = number * 10 + (text[i] - '0');
      ++digits;
      if (number > 255) {
        *error = Problem(whole, "IPv4 field has value >255");
        return false;
      }
    } else if (text[i] == '.') {
      if (i == 0 || i + 1 == text.size() || text[i - 1] == '.') {
        *error = Problem(whole, "IPv4 field must have at least one digit", text.substr(i));
        return false;
      }
      if (field == 3) {
        *error = Problem(whole, "IPv4 address too long");
        return false;
      }
      out[field++] = static_cast<std::uint8_t>(number);
      number = 0;
      digits = 0;
    } else {
      *error = Problem(whole, "unexpected character", text.substr(i));
      return false;
    }
  }
  if (field < 3) {
    *error = Problem(whole, "IPv4 address too short");
    return false;
  }
  out[3] = static_cast<std::uint8_t>(number);
  return true;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool ParseSix(std::string_view whole, IpAddress* address, std::string* error) {
  std::string_view text = whole;
  const auto fail = [&](const char* why, std::string_view at) {
    *error = Problem(whole, why, at);
    return false;
  };
  if (const std::size_t percent = text.find('%'); percent != std::string_view::npos) {
    if (percent + 1 == text.size()) return fail("zone must be a non-empty string", "");
    address->has_zone = true;
    text = text.substr(0, percent);
  }
  int ellipsis = -1;
  std::size_t i = 0;  // bytes done
  if (text.starts_with("::")) {
    ellipsis = 0;
    text.remove_prefix(2);
    if (text.empty()) return true;
  }
  while (i < 16) {
    std::size_t n = 0;
    std::uint32_t group = 0;
    for (; n < text.size() && HexDigit(text[n]) >= 0; ++n) {
      group = group * 16 + static_cast<std::uint32_t>(HexDigit(text[n]));
      if (n > 3) return fail("each group must have 4 or less digits", text);
    }
    if (n == 0) return fail("each colon-separated field must have at least one digit", text);
    if (n < text.size() && text[n] == '.') {
      if (ellipsis < 0 && i != 12) {
        return fail("embedded IPv4 address must replace the final 2 fields of the address", text);
      }
      if (i + 4 > 16)
        return fail("too many hex fields to fit an embedded IPv4 at the end of the address", text);
      if (!ParseFour(whole, text, address->bytes.data() + i, error)) return false;
      text = "";
      i += 4;
      break;
    }
    address->bytes[i++] = static_cast<std::uint8_t>(group >> 8);
    address->bytes[i++] = static_cast<std::uint8_t>(group);
    text.remove_prefix(n);
    if (text.empty()) break;
    if (text[0] != ':') return fail("unexpected character, want colon", text);
    if (text.size() == 1) return fail("colon must be followed by more characters", text);
    text.remove_prefix(1);
    if (text[0] == ':') {
      if (ellipsis >= 0) return fail("multiple :: in address", text);
      ellipsis = static_cast<int>(i);
      text.remove_prefix(1);
      if (text.empty()) break;
    }
  }
  if (!text.empty()) return fail("trailing garbage after address", text);
  if (i < 16) {
    if (ellipsis < 0) return fail("address string too short", "");
    const std::size_t gap = 16 - i;
    auto& b = address->bytes;
    std::copy_backward(b.begin() + ellipsis, b.begin() + static_cast<std::ptrdiff_t>(i), b.end());
    std::fill_n(b.begin() + ellipsis, gap, std::uint8_t{0});
  } else if (ellipsis >= 0) {
    return fail("the :: must expand to at least one field of zeros", "");
  }
  return true;
}

}  // namespace

std::optional<IpAddress> IpAddress::Parse(std::string_view text, std::string* error) {
  IpAddress address;
  for (const char c : text) {
    if (c == '.') {
      address.is4 = true;
      if (!ParseFour(text, text, address.bytes.data(), error)) return std::nullopt;
      return address;
    }
    if (c == ':') {
      if (!ParseSix(text, &address, error)) return std::nullopt;
      return address;
    }
    if (c == '%') {
      *error = Problem(text, "missing IPv6 address");
      return std::nullopt;
    }
  }
  *error = Problem(text, "unable to parse IP");
  return std::nullopt;
}

bool IpAddress::Is4In6() const {
  return !is4 && bytes[10] == 0xff && bytes[11] == 0xff &&
         std::all_of(bytes.begin(), bytes.begin() + 10, [](std::uint8_t b) { return b == 0; });
}

std::string IpAddress::ToString() const {
  std::string text;
  if (is4) {
    for (std::size_t i = 0; i < 4; ++i) text += (i > 0 ? "." : "") + std::to_string(bytes[i]);
    return text;
  }
  // The longest run of at least two zero groups, the first of equals, is "::".
  int best = -1;
  int best_length = 1;
  const auto group = [this](int i) {
    return bytes[2 * static_cast<std::size_t>(i)] << 8 | bytes[2 * static_cast<std::size_t>(i) + 1];
  };
  for (int i = 0; i < 8; ++i) {
    int length = 0;
    while (i + length < 8 && group(i + length) == 0) ++length;
    if (length > best_length) {
      best = i;
      best_length = length;
    }
    if (length > 0) i += length - 1;
  }
  constexpr char kHex[] = "0123456789abcdef";
  for (int i = 0; i < 8; ++i) {
    if (i == best) {
      text += "::";
      i += best_length - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    bool begun = false;
    for (int shift = 12; shift >= 0; shift -= 4) {
      const int digit = (group(i) >> shift) & 15;
      begun = begun || digit != 0 || shift == 0;
      if (begun) text += kHex[digit];
    }
  }
  return text;
}

IpAddress IpAddress::Masked(int bits) const {
  IpAddress masked = *this;
  for (int i = bits; i < BitLength(); ++i) {
    masked.bytes[static_cast<std::size_t>(i / 8)] &= static_cast<std::uint8_t>(~(0x80 >> (i % 8)));
  }
  return masked;
}

bool IpAddress::IsUnspecified() const {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0; });
}
bool IpAddress::IsLoopback() const {
  if (is4) return bytes[0] == 127;
  return bytes[15] == 1 &&
         std::all_of(bytes.begin(), bytes.end() - 1, [](std::uint8_t b) { return b == 0; });
}
bool IpAddress::IsLinkLocalMulticast() const {
  if (is4) return bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0;
  return bytes[0] == 0xff && (bytes[1] & 0x0f) == 2;
}
bool IpAddress::IsLinkLocalUnicast() const {
  if (is4) return bytes[0] == 169 && bytes[1] == 254;
  return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}
bool IpAddress::IsGlobalUnicast() const {
  if (is4 && (IsUnspecified() ||
              (bytes[0] == 255 && bytes[1] == 255 && bytes[2] == 255 && bytes[3] == 255))) {
    return false;
  }
  const bool multicast = is4 ? (bytes[0] & 0xf0) == 0xe0 : bytes[0] == 0xff;
  return !IsUnspecified() && !IsLoopback() && !multicast && !IsLinkLocalUnicast();
}

std::optional<IpPrefix> IpPrefix::Parse(std::string_view text, std::string* error) {
  const std::string prefix = "netip.ParsePrefix(" + value::GoQuote(text) + "): ";
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) {
    *error = prefix + "no '/'";
    return std::nullopt;
  }
  std::string problem;
  const std::optional<IpAddress> address = IpAddress::Parse(text.substr(0, slash), &problem);
  if (!address.has_value()) {
    *error = prefix + problem;
    return std::nullopt;
  }
  if (address->has_zone) {
    *error = prefix + "IPv6 zones cannot be present in a prefix";
    return std::nullopt;
  }
  const std::string_view digits = text.substr(slash + 1);
  const auto bad = [&](const char* why) {
    *error = prefix + why + value::GoQuote(digits);
    return std::nullopt;
  };
  if (digits.size() > 1 && (digits[0] < '1' || digits[0] > '9')) {
    return bad("bad bits after slash: ");
  }
  const std::optional<std::int64_t> bits = value::ParseGoInt(digits);
  if (!bits.has_value()) return bad("bad bits after slash: ");
  if (*bits < 0 || *bits > address->BitLength()) {
    *error = prefix + "prefix length out of range";
    return std::nullopt;
  }
  return IpPrefix{*address, static_cast<int>(*bits)};
}

bool IpPrefix::Contains(const IpAddress& other) const {
  return other.is4 == address.is4 && !other.has_zone && other.Masked(bits) == address.Masked(bits);
}

}  // namespace ksim::cel
