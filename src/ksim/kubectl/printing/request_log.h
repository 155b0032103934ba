// -v: requests and responses as kubectl's levels print them: 6 each request with its code, 7 its
// headers, 8 those of the answer and the bodies (cut), 9 the curl line instead of the request's
// headers, 10 the bodies whole.
//
// Source: client-go transport/round_trippers.go NewDebuggingRoundTripper, rest/request.go
// truncateBody.
#pragma once
#include <string>
#include <vector>

#include "ksim/sim/bus.h"

namespace ksim::kubectl {

std::string RequestLog(const std::vector<sim::Event>& events, int level);

}  // namespace ksim::kubectl
