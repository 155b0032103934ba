// Printers: objects as rows of the tables that `kubectl get` shows.
//
// Sources: pkg/printers/internalversion/printers.go (columns and cells), cli-runtime
// pkg/printers/tableprinter.go (rendering). API-149..152.
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
};

struct Table {
  Table() = default;
  std::vector<TableColumn> columns;
  std::vector<std::vector<std::string>> rows;  // one an object, one cell a column
};

// The table of objects of one kind, in the order given. Ages count up to `now`. Kinds without a
// printer of their own show Name and Age.
Table PrintTable(const ResourceInfo& kind, const std::vector<Object>& objects, VirtualTime now);

struct TableOptions {
  TableOptions() = default;
  bool wide = false;
  bool with_namespace = false;  // a first column NAMESPACE (--all-namespaces)
  bool with_kind = false;       // names as pod/x, replicaset.apps/x (several kinds at once)
  bool no_headers = false;
  std::vector<std::string> label_columns;  // a column for each of these labels
  bool show_labels = false;                // a last column LABELS
};

// As kubectl prints it: upper-case headings, columns three spaces apart (the last one not padded),
// each line ended by a newline. "" for no objects.
std::string RenderTable(const ResourceInfo& kind, const std::vector<Object>& objects,
                        VirtualTime now, const TableOptions& options);

// By when they were last seen, those of one moment as they were.
void SortByLastSeen(std::vector<Object>* events);

// Events as `kubectl events` prints them: by when they were last seen, with how often.
std::string RenderEvents(std::vector<Object> events, VirtualTime now, bool with_namespace,
                         bool no_headers = false);

// What `kubectl describe` tells of events, by when they were last seen.
struct EventCells {
  EventCells() = default;
  std::string type, reason, age, from, message;
};
std::vector<EventCells> CellsOfEvents(std::vector<Object> events, VirtualTime now);

// "app=web,tier in (a,b)", "<none>" (metav1.FormatLabelSelector).
std::string SelectorText(const value::Value& selector);

// Without what a terminal takes for commands: the escape character as ^[, a carriage return as \r
// (cli-runtime pkg/printers/terminal.go).
std::string EscapeTerminal(std::string_view text);

// Lines of cells as text, each column as wide as its widest cell and three spaces more.
std::string AlignColumns(const std::vector<std::vector<std::string>>& lines);

}  // namespace ksim::api
