// Rules of the texts of addresses, as netutils.ParseIPSloppy and ParseCIDRSloppy read them: an IPv4
// number may have leading zeros.
//
// Source: k8s.io/utils/internal/third_party/forked/golang/net/ip.go.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ksim::api {

bool IsIpv4(std::string_view text);
bool IsIpv6(std::string_view text);
inline bool IsIp(std::string_view text) { return IsIpv4(text) || IsIpv6(text); }
bool IsCidr(std::string_view text);

// An address. `written_v4`: its text has dots only; the bytes are those of ::ffff:a.b.c.d then.
struct ParsedIp {
  std::array<std::uint8_t, 16> bytes{};
  bool written_v4 = false;
  bool leading_zeros = false;  // in one of its dotted numbers: net/netip refuses it

  bool Maps4() const;  // ::ffff:0:0/96
  // The form of net.IP.String: dotted if it maps an IPv4 address, else that of RFC 5952.
  std::string ToString() const;
  ParsedIp Masked(int bits) const;  // of 32 or 128, as the text was
};

std::optional<ParsedIp> ParseIp(std::string_view text);

struct ParsedCidr {
  ParsedIp address;
  int bits = 0;
  bool leading_zeros = false;  // in the number of bits
};

std::optional<ParsedCidr> ParseCidr(std::string_view text);

}  // namespace ksim::api
