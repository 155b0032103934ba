// klog: the head of a line of a Kubernetes component's log, and times as HTTP headers have them.
//
// Source: klog v2 internal/buffer/buffer.go FormatHeader; net/http TimeFormat.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ksim/base/time.h"

namespace ksim::kubectl {

// "I0101 00:00:01.200000    1001 round_trippers.go:466] ": the time in UTC, the process's number.
std::string KlogHead(VirtualTime time, std::int64_t pid, std::string_view place);

// "Wed, 01 Jan 2025 00:00:01 GMT"; the time is UTC, whatever the zone is called.
std::string HttpDate(VirtualTime time, std::string_view zone = "GMT");

}  // namespace ksim::kubectl
