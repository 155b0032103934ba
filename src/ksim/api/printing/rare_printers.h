// Tables of the kinds that no controller of ksim works on.
//
// Source: pkg/printers/internalversion/printers.go; registry/rest/table.go for kinds that it does
// not know.
#pragma once
#include "ksim/api/kinds.h"
#include "ksim/api/printing/printer_cells.h"

namespace ksim::api {

// Null: none of these.
const Printer* RarePrinterOf(const ResourceInfo& kind);

}  // namespace ksim::api
