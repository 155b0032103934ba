#include "ksim/api/rules/ip_warnings.h"

#include <fmt/format.h>

#include <optional>

#include "ksim/api/core/go_text.h"
#include "ksim/api/rules/ip_text.h"

namespace ksim::api {

namespace {

// netip.Addr.String, which does not shorten ::ffff:1.2.3.4.
std::string NetipText(const ParsedIp& ip) {
  return ip.Maps4() && !ip.written_v4 ? "::ffff:" + ip.ToString() : ip.ToString();
}

std::string NetText(const ParsedCidr& prefix) {
  const ParsedIp masked = prefix.address.Masked(prefix.bits);
  const bool shortened = !prefix.address.written_v4 && masked.Maps4();
  return fmt::format("{}/{}", masked.ToString(), shortened ? prefix.bits - 96 : prefix.bits);
}

void WarnOfOldIp(std::string_view path, std::string_view text, const ParsedIp& ip,
                 std::vector<std::string>* warnings) {
  if (ip.leading_zeros) {
    warnings->push_back(
        fmt::format("{}: IP address was accepted, but will be invalid in a future Kubernetes "
                    "release: ParseAddr({}): IPv4 field has octet with leading zero",
                    path, GoQuote(text)));
  } else if (!ip.written_v4 && NetipText(ip) != text) {
    warnings->push_back(
        fmt::format("{}: IPv6 address {} is not in RFC 5952 canonical format "
                    "({}), which may cause controller apply-loops",
                    path, GoQuote(text), GoQuote(NetipText(ip))));
  }
}

void WarnOfOldCidr(std::string_view path, std::string_view text, const ParsedCidr& prefix,
                   std::vector<std::string>* warnings) {
  const std::string_view address = text.substr(0, text.find('/'));
  const std::string_view bits = text.substr(address.size() + 1);
  const std::string canonical = fmt::format("{}/{}", NetipText(prefix.address), prefix.bits);
  std::string problem;
  if (prefix.address.leading_zeros) {
    problem =
        fmt::format("ParseAddr({}): IPv4 field has octet with leading zero", GoQuote(address));
  } else if (prefix.leading_zeros) {
    problem = fmt::format("bad bits after slash: {}", GoQuote(bits));
  }
  if (!problem.empty()) {
    warnings->push_back(
        fmt::format("{}: IP prefix was accepted, but will be invalid in a future "
                    "Kubernetes release: netip.ParsePrefix({}): {}",
                    path, GoQuote(text), problem));
  } else if (!prefix.address.written_v4 && canonical != text) {
    warnings->push_back(
        fmt::format("{}: IPv6 prefix {} is not in RFC 5952 canonical format ({}), "
                    "which may cause controller apply-loops",
                    path, GoQuote(text), GoQuote(canonical)));
  }
}

}  // namespace

bool HasUsualForm(std::string_view ip) {
  if (!IsIpv4(ip)) return false;
  const std::optional<ParsedIp> parsed = ParseIp(ip);
  return !parsed->leading_zeros;
}

void WarnOfIp(std::string_view path, std::string_view text, const Profile& profile,
              std::vector<std::string>* warnings) {
  const std::optional<ParsedIp> ip = ParseIp(text);
  if (!ip) return;
  if (!profile.warns_of_ip_forms) return WarnOfOldIp(path, text, *ip, warnings);
  if (ip->leading_zeros || (ip->Maps4() && !ip->written_v4)) {
    warnings->push_back(fmt::format("{}: non-standard IP address {} is invalid: use {}", path,
                                    GoQuote(text), GoQuote(ip->ToString())));
  } else if (!ip->written_v4 && ip->ToString() != text) {
    warnings->push_back(
        fmt::format("{}: IPv6 address {} should be in RFC 5952 canonical format ({})", path,
                    GoQuote(text), GoQuote(ip->ToString())));
  }
}

void WarnOfCidr(std::string_view path, std::string_view text, const Profile& profile,
                std::vector<std::string>* warnings) {
  const std::optional<ParsedCidr> prefix = ParseCidr(text);
  if (!prefix) return;
  if (!profile.warns_of_ip_forms) return WarnOfOldCidr(path, text, *prefix, warnings);
  const ParsedIp& ip = prefix->address;
  const std::size_t before = warnings->size();
  if (ip.bytes != ip.Masked(prefix->bits).bytes) {
    const std::string single = fmt::format("{}/{}", ip.ToString(), ip.written_v4 ? 32 : 128);
    warnings->push_back(
        fmt::format("{}: CIDR value {} is ambiguous in this context (should be {} or {}?)", path,
                    GoQuote(text), GoQuote(NetText(*prefix)), GoQuote(single)));
  }
  if (ip.leading_zeros || prefix->leading_zeros || (ip.Maps4() && !ip.written_v4)) {
    warnings->push_back(fmt::format("{}: non-standard CIDR value {} is invalid: use {}", path,
                                    GoQuote(text), GoQuote(NetText(*prefix))));
  }
  const std::string canonical = fmt::format("{}/{}", ip.ToString(), prefix->bits);
  if (warnings->size() == before && !ip.written_v4 && canonical != text) {
    warnings->push_back(
        fmt::format("{}: IPv6 CIDR value {} should be in RFC 5952 canonical format ({})", path,
                    GoQuote(text), GoQuote(canonical)));
  }
}

void WarnOfLoadBalancerIps(const value::Value& status, const Profile& profile,
                           std::vector<std::string>* warnings) {
  if (!profile.warns_of_ip_forms) return;
  const value::Value& ingress = status.Get("loadBalancer").Get("ingress");
  for (std::size_t i = 0; i < ingress.size(); ++i)
    WarnOfIp(fmt::format("status.loadBalancer.ingress[{}]", i), ingress.at(i).Get("ip").AsString(),
             profile, warnings);
}

}  // namespace ksim::api
