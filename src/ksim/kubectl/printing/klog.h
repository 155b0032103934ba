// klog: the head of a line of a Kubernetes component's log.
//
// Source: klog v2 internal/buffer/buffer.go FormatHeader.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ksim/base/time.h"

namespace ksim::kubectl {

// "I0101 00:00:01.200000    1001 round_trippers.go:466] ": the time in UTC, the process's number.
// `severity`: I, W or E.
std::string KlogHead(VirtualTime time, std::int64_t pid, std::string_view place,
                     char severity = 'I');

}  // namespace ksim::kubectl
