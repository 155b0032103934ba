// Rules of names: RFC 1123, RFC 1035 and Kubernetes' own. Each function returns the reasons why a
// text is no such name, in upstream's words; none for a good one.
//
// Sources: apimachinery pkg/util/validation/validation.go, pkg/api/validation/generic.go.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"

namespace ksim::api {

using NameProblems = std::vector<std::string>;

NameProblems Dns1123Label(std::string_view name, Compat compat);
NameProblems Dns1123Subdomain(std::string_view name);
NameProblems Dns1035Label(std::string_view name);
NameProblems PathSegmentName(std::string_view name);
NameProblems PathSegmentPrefix(std::string_view name);
NameProblems PortNumber(std::int64_t port);
NameProblems PortName(std::string_view name);
NameProblems EnvVarName(std::string_view name, Compat compat);
NameProblems ConfigMapKey(std::string_view key);
NameProblems HttpHeaderName(std::string_view name);
// A subdomain whose labels may begin with underscores.
NameProblems UnderscoreSubdomain(std::string_view name);
NameProblems IpAddress(std::string_view text);
// Label keys and values, in the words of that version.
NameProblems QualifiedName(std::string_view name, Compat compat);
NameProblems LabelValue(std::string_view value, Compat compat);

// A text about labels in the words of that version: some changed with package content.
std::string WordedFor(std::string text, Compat compat);

// The text that validation checks for a generateName, whose trailing dash is not its end.
std::string MaskTrailingDash(std::string_view name);

}  // namespace ksim::api
