// Base64 of RFC 4648 with padding, as Go's StdEncoding writes it.
#pragma once
#include <string>
#include <string_view>

namespace ksim::value {

std::string Base64(std::string_view bytes);

}  // namespace ksim::value
