// Tables as `kubectl get` prints them: columns and cells come from api::PrintTable.
//
// Source: cli-runtime pkg/printers/tableprinter.go, tabwriter.go, terminal.go. API-149..152.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/base/time.h"

namespace ksim::kubectl {

struct TableOptions {
  TableOptions() = default;
  bool wide = false;
  bool with_namespace = false;  // a first column NAMESPACE (--all-namespaces)
  bool with_kind = false;       // names as pod/x, replicaset.apps/x (several kinds at once)
  bool no_headers = false;
  std::vector<std::string> label_columns;  // a column for each of these labels
  bool show_labels = false;                // a last column LABELS
};

// The table of objects of one kind, in the order given, as kubectl prints it: upper-case headings,
// columns three spaces apart (the last one not padded), each line ended by a newline. "" for no
// objects.
std::string RenderTable(const api::ResourceInfo& kind, const std::vector<api::Object>& objects,
                        VirtualTime now, const TableOptions& options);

// Lines of cells as text, each column as wide as its widest cell and three spaces more.
std::string AlignColumns(const std::vector<std::vector<std::string>>& lines);

}  // namespace ksim::kubectl
