// Addresses and networks as Go's net/netip reads and writes them.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ksim::cel {

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};  // the first four of an IPv4 address
  bool is4 = false;
  bool has_zone = false;

  static std::optional<IpAddress> Parse(std::string_view text, std::string* error);
  std::string ToString() const;
  int BitLength() const { return is4 ? 32 : 128; }
  bool Is4In6() const;
  IpAddress Masked(int bits) const;
  bool operator==(const IpAddress& o) const = default;

  bool IsUnspecified() const;
  bool IsLoopback() const;
  bool IsLinkLocalMulticast() const;
  bool IsLinkLocalUnicast() const;
  bool IsGlobalUnicast() const;
};

struct IpPrefix {
  IpAddress address;
  int bits = 0;

  static std::optional<IpPrefix> Parse(std::string_view text, std::string* error);
  std::string ToString() const { return address.ToString() + "/" + std::to_string(bits); }
  bool Contains(const IpAddress& other) const;
  bool operator==(const IpPrefix& o) const = default;
};

}  // namespace ksim::cel
