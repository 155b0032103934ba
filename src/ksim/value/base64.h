// Base64 of RFC 4648 with padding, as Go's StdEncoding writes it.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ksim::value {

std::string Base64(std::string_view bytes);
std::optional<std::string> Unbase64(std::string_view text);  // nullopt if it is no base64

}  // namespace ksim::value
