// Kubernetes' libraries of addresses and networks: libraries.h.
#include <string>

#include "ksim/cel/functions/ip.h"
#include "ksim/cel/functions/libraries.h"
#include "ksim/cel/functions/opaque.h"
#include "ksim/value/text.h"

namespace ksim::cel {
namespace {

struct IpValue {
  IpAddress address;
  static TypePtr CelType() { return OpaqueType("net.IP"); }
  bool operator==(const IpValue& o) const { return address == o.address; }
};

struct CidrValue {
  IpPrefix prefix;
  static TypePtr CelType() { return OpaqueType("net.CIDR"); }
  bool operator==(const CidrValue& o) const { return prefix == o.prefix; }
};

Val ParseIp(const Val& v) {
  const std::string quoted = value::GoQuote(v.AsText());
  std::string error;
  const std::optional<IpAddress> address = IpAddress::Parse(v.AsText(), &error);
  if (!address.has_value()) {
    return Val::Error("IP Address " + quoted +
                      " parse error during conversion from string: " + error);
  }
  if (address->has_zone) {
    return Val::Error("IP address " + quoted + " with zone value is not allowed");
  }
  if (address->Is4In6()) {
    return Val::Error("IPv4-mapped IPv6 address " + quoted + " is not allowed");
  }
  return MakeOpaque(IpValue{*address});
}

Val ParseCidr(const Val& v) {
  std::string error;
  const std::string prefix = "network address parse error during conversion from string: ";
  const std::optional<IpPrefix> network = IpPrefix::Parse(v.AsText(), &error);
  if (!network.has_value()) return Val::Error(prefix + prefix + error);
  if (network->address.Is4In6()) {
    return Val::Error(prefix + "IPv4-mapped IPv6 address " + value::GoQuote(v.AsText()) +
                      " is not allowed");
  }
  return MakeOpaque(CidrValue{*network});
}

const IpAddress& IpOf(const Val& v) { return OpaqueValue<IpValue>(v).address; }
const IpPrefix& CidrOf(const Val& v) { return OpaqueValue<CidrValue>(v).prefix; }

Val ContainsIp(const Val& network, const Val& address) {
  if (address.is_error()) return Val::NoSuchOverload();  // upstream asks its other argument
  return Val::Bool(CidrOf(network).Contains(IpOf(address)));
}

Val ContainsCidr(const Val& network, const Val& other) {
  if (other.is_error()) return other;
  const IpPrefix& outer = CidrOf(network);
  const IpPrefix& inner = CidrOf(other);
  return Val::Bool(outer.bits <= inner.bits && outer.Contains(inner.address));
}

}  // namespace

void AddIpFunctions(FunctionTable* table) {
  table->Add("ip", "string_to_ip (string) -> net.IP", [](Arguments a) { return ParseIp(a[0]); });
  table->Add("family", ".ip_family (net.IP) -> int",
             [](Arguments a) { return Val::Int(IpOf(a[0]).is4 ? 4 : 6); });
  table->Add("ip.isCanonical", "ip_is_canonical (string) -> bool", [](Arguments a) {
    const Val ip = ParseIp(a[0]);
    return ip.is_error() ? ip : Val::Bool(IpOf(ip).ToString() == a[0].AsText());
  });
  const auto test = [table](const char* function, const std::string& id,
                            bool (IpAddress::*holds)() const) {
    table->Add(function, "." + id + " (net.IP) -> bool",
               [holds](Arguments a) { return Val::Bool((IpOf(a[0]).*holds)()); });
  };
  test("isUnspecified", "ip_is_unspecified", &IpAddress::IsUnspecified);
  test("isLoopback", "ip_is_loopback", &IpAddress::IsLoopback);
  test("isLinkLocalMulticast", "ip_is_link_local_multicast", &IpAddress::IsLinkLocalMulticast);
  test("isLinkLocalUnicast", "ip_is_link_local_unicast", &IpAddress::IsLinkLocalUnicast);
  test("isGlobalUnicast", "ip_is_global_unicast", &IpAddress::IsGlobalUnicast);
  table->Add("isIP", "is_ip (string) -> bool",
             [](Arguments a) { return Val::Bool(!ParseIp(a[0]).is_error()); });
  table->Add("string", "ip_to_string (net.IP) -> string",
             [](Arguments a) { return Val::String(IpOf(a[0]).ToString()); });
}

void AddCidrFunctions(FunctionTable* table) {
  table->Add("cidr", "string_to_cidr (string) -> net.CIDR",
             [](Arguments a) { return ParseCidr(a[0]); });
  table->Add("containsIP", ".cidr_contains_ip_string (net.CIDR, string) -> bool",
             [](Arguments a) { return ContainsIp(a[0], ParseIp(a[1])); });
  table->Add("containsIP", ".cidr_contains_ip_ip (net.CIDR, net.IP) -> bool",
             [](Arguments a) { return ContainsIp(a[0], a[1]); });
  table->Add("containsCIDR", ".cidr_contains_cidr_string (net.CIDR, string) -> bool",
             [](Arguments a) { return ContainsCidr(a[0], ParseCidr(a[1])); });
  table->Add("containsCIDR", ".cidr_contains_cidr (net.CIDR, net.CIDR) -> bool",
             [](Arguments a) { return ContainsCidr(a[0], a[1]); });
  table->Add("ip", ".cidr_ip (net.CIDR) -> net.IP",
             [](Arguments a) { return MakeOpaque(IpValue{CidrOf(a[0]).address}); });
  table->Add("prefixLength", ".cidr_prefix_length (net.CIDR) -> int",
             [](Arguments a) { return Val::Int(CidrOf(a[0]).bits); });
  table->Add("masked", ".cidr_masked (net.CIDR) -> net.CIDR", [](Arguments a) {
    const IpPrefix& network = CidrOf(a[0]);
    return MakeOpaque(CidrValue{{network.address.Masked(network.bits), network.bits}});
  });
  table->Add("isCIDR", "is_cidr (string) -> bool",
             [](Arguments a) { return Val::Bool(!ParseCidr(a[0]).is_error()); });
  table->Add("string", "cidr_to_string (net.CIDR) -> string",
             [](Arguments a) { return Val::String(CidrOf(a[0]).ToString()); });
}

}  // namespace ksim::cel
