#include "ksim/api/printing/printers.h"

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/printing/printer_cells.h"

namespace ksim::api {

Table PrintTable(const ResourceInfo& kind, const std::vector<Object>& objects, VirtualTime now) {
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
