// Tables as text: cli-runtime pkg/printers/tableprinter.go (printTable, printRows),
// tabwriter.go (GetNewTabWriter: cells at least 6 wide, 3 spaces apart).
#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/printing/printers.h"
#include "ksim/value/text.h"

namespace ksim::api {

namespace {

constexpr std::size_t kMinWidth = 6;
constexpr std::size_t kPadding = 3;

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// Width in code points, as the tabwriter counts.
std::size_t Width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

// A cell is one line: what follows the first is cut.
std::string OneLine(const std::string& cell) {
  const std::size_t end = cell.find_first_of("\f\n\r");
  const std::string shown = EscapeTerminal(std::string_view(cell).substr(0, end));
  return end == std::string::npos ? shown : shown + "...";
}

// The last part of a label's name heads its column (formatLabelHeaders).
std::string LabelHeading(const std::string& label) {
  return Upper(std::string_view(label).substr(label.rfind('/') + 1));
}

// a=b,c=d; apimachinery pkg/labels FormatLabels.
std::string LabelsText(const value::Value& labels) {
  std::string out;
  for (const value::Value::Member& m : labels.members())
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", m.name.text(), m.value.AsString());
  return out.empty() ? "<none>" : out;
}

std::string NameWithKind(const ResourceInfo& kind, const std::string& name) {
  std::string prefix = Lower(kind.kind);
  if (!kind.group.empty()) prefix += "." + kind.group;
  return prefix + "/" + name;
}

}  // namespace

std::string EscapeTerminal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\x1b')
      out += "^[";
    else if (c == '\r')
      out += "\\r";
    else
      out += c;
  }
  return out;
}

std::string AlignColumns(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()), kMinWidth);
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      widths[i] = std::max(widths[i], Width(line[i]) + kPadding);
    }
  }
  std::string out;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += line[i];
      if (i + 1 < line.size()) out.append(widths[i] - Width(line[i]), ' ');
    }
    out += '\n';
  }
  return out;
}

std::string RenderTable(const ResourceInfo& kind, const std::vector<Object>& objects,
                        VirtualTime now, const TableOptions& options) {
  if (objects.empty()) return "";
  const Table table = PrintTable(kind, objects, now);
  const auto shown = [&](std::size_t i) { return options.wide || table.columns[i].priority == 0; };
  std::vector<std::vector<std::string>> lines;
  if (!options.no_headers) {
    std::vector<std::string>& header = lines.emplace_back();
    if (options.with_namespace) header.push_back("NAMESPACE");
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (shown(i)) header.push_back(Upper(table.columns[i].name));
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
  return AlignColumns(lines);
}

}  // namespace ksim::api
