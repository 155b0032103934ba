// Printer columns: additionalPrinterColumns of a CustomResourceDefinition.
//
// Source: apiextensions-apiserver pkg/registry/customresource/tableconvertor/tableconvertor.go,
// pkg/apiserver/helpers.go serveDefaultColumnsIfEmpty.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/base/time.h"
#include "ksim/value/jsonpath.h"
#include "ksim/value/value.h"

namespace ksim::api {

struct PrinterColumn {
  std::string name, type, format, description;
  int priority = 0;
  std::optional<value::JsonPath> path;  // none: upstream's converter stops at such a column
};

// The columns after that of the name; the age alone where the definition says none.
std::vector<PrinterColumn> PrinterColumnsOf(const ResourceInfo& kind);
// The cell of one object: null, a text, a number or a boolean.
value::Value CellOf(const PrinterColumn& column, const value::Value& tree, VirtualTime now);

}  // namespace ksim::api
