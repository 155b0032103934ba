// Tables as `kubectl get` prints them: columns and cells come from api::PrintTable.
//
// Source: cli-runtime pkg/printers/tableprinter.go, tabwriter.go, terminal.go. API-149..152.
#pragma once
#include <cstddef>
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

// The cells of such a table, the headings first unless they are left out.
using TableLines = std::vector<std::vector<std::string>>;
TableLines LinesOfTable(const api::ResourceInfo& kind, const std::vector<api::Object>& objects,
                        VirtualTime now, const TableOptions& options);

// Lines of cells as text, each column as wide as its widest cell and three spaces more. With
// `widths` a column is at least as wide as it was in the lines before, as kubectl writes a watch.
std::string AlignColumns(const TableLines& lines, std::vector<std::size_t>* widths = nullptr);

}  // namespace ksim::kubectl
