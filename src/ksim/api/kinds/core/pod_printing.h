// The cells of a pod's row.
//
// Source: pkg/printers/internalversion/printers.go printPod. API-151.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/object.h"

namespace ksim::api {

// Name, Ready, Status, Restarts, Age, IP, Node, Nominated Node, Readiness Gates.
std::vector<std::string> PodCells(const Object& pod, VirtualTime now);

}  // namespace ksim::api
