#include "ksim/api/kinds/shared/network.h"

#include <fmt/format.h>

#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/ip_text.h"

namespace ksim::api {

void ValidateProtocol(std::string_view protocol, const FieldPath& path, FieldErrorList* errors) {
  if (protocol == "TCP" || protocol == "UDP" || protocol == "SCTP") return;
  errors->NotSupported(path, protocol, {"SCTP", "TCP", "UDP"});
}

void ValidateNonSpecialIp(std::string_view ip, const FieldPath& path, FieldErrorList* errors) {
  if (!IsIp(ip)) return errors->Invalid(path, ip, "must be a valid IP address");
  const bool four = IsIpv4(ip);
  const auto starts = [&](std::string_view low) { return ip.starts_with(low); };
  if (ip == "0.0.0.0" || ip == "::") {
    errors->Invalid(path, ip, fmt::format("may not be unspecified ({})", ip));
  }
  if ((four && starts("127.")) || ip == "::1") {
    errors->Invalid(path, ip, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  }
  if ((four && starts("169.254.")) || (!four && (starts("fe80:") || starts("FE80:")))) {
    errors->Invalid(path, ip, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if ((four && starts("224.0.0.")) || (!four && (starts("ff02:") || starts("FF02:")))) {
    errors->Invalid(path, ip,
                    "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
}

}  // namespace ksim::api
