#include "ksim/kubectl/printing/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/printing/printers.h"
#include "ksim/kubectl/printing/cell_text.h"

namespace ksim::kubectl {

namespace {

using api::Object;
using api::ResourceInfo;

// tabwriter.go GetNewTabWriter.
constexpr std::size_t kMinCellWidth = 6;
constexpr std::size_t kCellPadding = 3;

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// A cell is one line: what follows the first is cut.
std::string OneLine(const std::string& cell) {
  const std::size_t end = cell.find_first_of("\f\n\r");
  const std::string shown = EscapeTerminal(std::string_view(cell).substr(0, end));
  return end == std::string::npos ? shown : shown + "...";
}

// The last part of a label's name heads its column (formatLabelHeaders).
std::string LabelHeading(const std::string& label) {
  return UpperCase(std::string_view(label).substr(label.rfind('/') + 1));
}

std::string NameWithKind(const ResourceInfo& kind, const std::string& name) {
  std::string prefix = LowerCase(kind.kind);
  if (!kind.group.empty()) prefix += "." + kind.group;
  return prefix + "/" + name;
}

}  // namespace

std::string AlignColumns(const TableLines& lines, std::vector<std::size_t>* remembered) {
  std::vector<std::size_t> own;
  std::vector<std::size_t>& widths = remembered == nullptr ? own : *remembered;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()), kMinCellWidth);
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      widths[i] = std::max(widths[i], CodePointCount(line[i]) + kCellPadding);
    }
  }
  std::string out;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += line[i];
      if (i + 1 < line.size()) out.append(widths[i] - CodePointCount(line[i]), ' ');
    }
    out += '\n';
  }
  return out;
}

TableLines LinesOfTable(const ResourceInfo& kind, const std::vector<Object>& objects,
                        VirtualTime now, const TableOptions& options) {
  const api::Table table = api::PrintTable(kind, objects, now);
  const auto shown = [&](std::size_t i) { return options.wide || table.columns[i].priority == 0; };
  TableLines lines;
  if (!options.no_headers) {
    std::vector<std::string>& header = lines.emplace_back();
    if (options.with_namespace) header.push_back("NAMESPACE");
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (shown(i)) header.push_back(UpperCase(table.columns[i].name));
    }
    for (const std::string& label : options.label_columns) header.push_back(LabelHeading(label));
    if (options.show_labels) header.push_back("LABELS");
  }
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<std::string>& line = lines.emplace_back();
    if (options.with_namespace) line.emplace_back(objects[r].ns());
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (!shown(i)) continue;
      const bool name = options.with_kind && table.columns[i].name == "Name";
      const std::string cell = OneLine(table.rows[r][i]);
      line.push_back(name ? NameWithKind(kind, cell) : cell);
    }
    for (const std::string& label : options.label_columns)
      line.emplace_back(objects[r].Label(label));
    if (options.show_labels) line.push_back(LabelsText(objects[r].labels()));
  }
  return lines;
}

std::string RenderTable(const ResourceInfo& kind, const std::vector<Object>& objects,
                        VirtualTime now, const TableOptions& options) {
  return objects.empty() ? "" : AlignColumns(LinesOfTable(kind, objects, now, options));
}

}  // namespace ksim::kubectl
