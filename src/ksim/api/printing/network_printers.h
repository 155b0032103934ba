// Tables of the kinds of networks and storage drivers.
//
// Source: pkg/printers/internalversion/printers.go.
#pragma once
#include "ksim/api/kinds.h"
#include "ksim/api/printing/printer_cells.h"

namespace ksim::api {

// Null: none of these.
const Printer* NetworkPrinterOf(const ResourceInfo& kind);

}  // namespace ksim::api
