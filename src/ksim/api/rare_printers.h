// Tables of the kinds that no controller of ksim works on.
//
// Source: pkg/printers/internalversion/printers.go; registry/rest/table.go for kinds that it does
// not know.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/base/time.h"

namespace ksim::api {

struct Printer {
  const char* group;
  const char* kind;
  const char* columns;  // separated by |; ~ in front: wide only
  std::vector<std::string> (*cells)(const Object& o, VirtualTime now);
};

// Null: none of these.
const Printer* RarePrinterOf(const ResourceInfo& kind);

}  // namespace ksim::api
