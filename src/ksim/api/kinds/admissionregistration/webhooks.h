// Printing that the two kinds of webhook configurations share.
//
// Source: pkg/printers/internalversion/printers.go.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"

namespace ksim::api {

std::vector<std::string> WebhookCells(const Object& o, VirtualTime now);

}  // namespace ksim::api
