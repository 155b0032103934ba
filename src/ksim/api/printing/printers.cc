#include "ksim/api/printing/printers.h"

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/structural/printer_columns.h"
#include "ksim/value/go_format.h"

namespace ksim::api {

namespace {

using value::Value;

// As fmt prints what a client decodes from the table.
std::string CellText(const Value& v) {
  if (v.is_null()) return "";
  if (v.is_string()) return std::string(v.AsString());
  return value::GoFormat(v);
}

Table PrintCustomTable(const ResourceInfo& kind, const std::vector<Object>& objects,
                       VirtualTime now) {
  const std::vector<PrinterColumn> columns = PrinterColumnsOf(kind);
  Table table;
  table.columns.emplace_back("Name", 0);
  for (const PrinterColumn& column : columns) {
    TableColumn& shown = table.columns.emplace_back(column.name, column.priority);
    shown.type = column.type;
    shown.format = column.format;
    shown.description = column.description;
  }
  for (const Object& o : objects) {
    const Value tree = o.ToTree();
    std::vector<Value>& values = table.values.emplace_back();
    values.push_back(Value::Of(o.name()));
    for (const PrinterColumn& column : columns) values.push_back(CellOf(column, tree, now));
    std::vector<std::string>& row = table.rows.emplace_back();
    for (const Value& v : values) row.push_back(CellText(v));
  }
  return table;
}

}  // namespace

Table PrintTable(const ResourceInfo& kind, const std::vector<Object>& objects, VirtualTime now) {
  if (kind.definition != nullptr) return PrintCustomTable(kind, objects, now);
  const KindSpec& spec = SpecOf(kind);
  Table table;
  for (const KindColumn& column : spec.columns) {
    if (column.name.empty()) break;
    table.columns.emplace_back(std::string(column.name), column.wide ? 1 : 0);
  }
  for (const Object& o : objects) {
    if (spec.cells == nullptr) {
      table.rows.push_back({cells::Name(o), cells::Age(o, now)});
    } else {
      table.rows.push_back(spec.cells(o, now));
    }
  }
  return table;
}

}  // namespace ksim::api
