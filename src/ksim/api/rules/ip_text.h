// Rules of the texts of addresses, as netutils.ParseIPSloppy and ParseCIDRSloppy read them: an IPv4
// number may have leading zeros.
//
// Source: k8s.io/utils/internal/third_party/forked/golang/net/ip.go.
#pragma once
#include <string_view>

namespace ksim::api {

bool IsIpv4(std::string_view text);
bool IsIpv6(std::string_view text);
inline bool IsIp(std::string_view text) { return IsIpv4(text) || IsIpv6(text); }
bool IsCidr(std::string_view text);

}  // namespace ksim::api
