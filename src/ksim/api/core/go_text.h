// Texts as Go's fmt package prints them in Kubernetes' messages.
#pragma once
#include <string>
#include <vector>

#include "ksim/value/text.h"

namespace ksim::api {

using value::GoQuote;  // %q

// %#v of a []string: []string{"a", "b"}.
std::string GoStringSlice(const std::vector<std::string>& items);

// %v of a []string: [a b].
std::string GoPlainSlice(const std::vector<std::string>& items);

}  // namespace ksim::api
