// Printers: objects as rows of the tables that a server makes for `kubectl get`.
//
// Source: pkg/printers/internalversion/printers.go. API-149..152.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/base/time.h"

namespace ksim::api {

struct TableColumn {
  TableColumn() = default;
  TableColumn(std::string n, int p) : name(std::move(n)), priority(p) {}
  std::string name;  // Name, Ready, Nominated Node
  int priority = 0;  // 1: only with -o wide
  std::string type = "string", format, description;
};

struct Table {
  Table() = default;
  std::vector<TableColumn> columns;
  std::vector<std::vector<std::string>> rows;  // one an object, one cell a column
  // The cells of a kind with a definition, which are no texts alone; else empty.
  std::vector<std::vector<value::Value>> values;
};

// The table of objects of one kind, in the order given. Ages count up to `now`. Kinds without a
// printer of their own show Name and Age.
Table PrintTable(const ResourceInfo& kind, const std::vector<Object>& objects, VirtualTime now);

}  // namespace ksim::api
