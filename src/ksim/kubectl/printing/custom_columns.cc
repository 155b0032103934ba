#include "ksim/kubectl/printing/custom_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/status.h"
#include "ksim/kubectl/printing/cell_text.h"
#include "ksim/kubectl/printing/table.h"
#include "ksim/value/go_format.h"
#include "ksim/value/text.h"

namespace ksim::kubectl {
namespace {

using value::InvalidText;
using value::JsonPath;
using value::Value;
using Columns = std::vector<CustomColumn>;

absl::Status AddColumn(std::string_view header, std::string_view path, Columns* out) {
  ASSIGN_OR_RETURN(const std::string relaxed, RelaxedPath(path));
  ASSIGN_OR_RETURN(JsonPath parsed, JsonPath::Parse(relaxed));
  out->push_back({std::string(header), std::move(parsed)});
  return absl::OkStatus();
}

std::vector<std::string_view> Words(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r\v\f";
  std::vector<std::string_view> out;
  for (std::size_t at = 0; (at = line.find_first_not_of(kSpace, at)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
    out.push_back(line.substr(at, end - at));
    at = end;
  }
  return out;
}

absl::StatusOr<std::string> Cell(const CustomColumn& column, const Value& object) {
  ASSIGN_OR_RETURN(const JsonPath::Results results, column.path.Find(object));
  std::string out = results.empty() || results.front().empty() ? "<none>" : "";
  for (const std::vector<Value>& found : results)
    for (const Value& v : found) out += (out.empty() ? "" : ",") + value::GoFormat(v);
  return EscapeTerminal(out);
}

}  // namespace

absl::StatusOr<std::string> RelaxedPath(std::string_view text) {
  if (text.empty()) return std::string();
  std::string_view inner = text;
  if (inner.size() > 2 && inner.front() == '{' && inner.back() == '}')
    inner = inner.substr(1, inner.size() - 2);
  if (inner.size() > 1 && inner.front() == '.') inner.remove_prefix(1);
  if (inner.find_first_of("{}") != std::string_view::npos)
    return InvalidText(
        "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or "
        "'{.name1.name2}'");
  return fmt::format("{{.{}}}", inner);
}

absl::StatusOr<Columns> ParseCustomColumns(std::string_view spec) {
  if (spec.empty())
    return InvalidText("custom-columns format specified but no custom columns given");
  Columns out;
  for (std::size_t begin = 0; begin <= spec.size();) {
    const std::size_t end = std::min(spec.find(',', begin), spec.size());
    const std::string_view part = spec.substr(begin, end - begin);
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos)
      return InvalidText(fmt::format(
          "unexpected custom-columns spec: {}, expected <header>:<json-path-expr>", part));
    RETURN_IF_ERROR(AddColumn(part.substr(0, colon), part.substr(colon + 1), &out));
    begin = end + 1;
  }
  return out;
}

absl::StatusOr<Columns> ParseCustomColumnsFile(std::string_view text) {
  constexpr const char* kMissing =
      "invalid template, missing {} line. Expected format is one line of space separated headers, "
      "one line of space separated column specs.";
  if (text.empty()) return InvalidText(fmt::format(fmt::runtime(kMissing), "header"));
  const std::size_t first = std::min(text.find('\n'), text.size());
  std::string_view rest = text.substr(std::min(first + 1, text.size()));
  if (rest.empty()) return InvalidText(fmt::format(fmt::runtime(kMissing), "spec"));
  const std::vector<std::string_view> headers = Words(text.substr(0, first));
  const std::vector<std::string_view> specs = Words(rest.substr(0, rest.find('\n')));
  if (headers.size() != specs.size())
    return InvalidText(
        fmt::format("number of headers ({}) and field specifications ({}) don't "
                    "match",
                    headers.size(), specs.size()));
  Columns out;
  for (std::size_t i = 0; i < headers.size(); ++i)
    RETURN_IF_ERROR(AddColumn(headers[i], specs[i], &out));
  return out;
}

absl::StatusOr<std::string> RenderCustomColumns(const Columns& columns,
                                                const std::vector<Value>& objects,
                                                bool no_headers) {
  std::vector<std::vector<std::string>> lines;
  if (!no_headers) {
    lines.emplace_back();
    for (const CustomColumn& c : columns) lines.back().push_back(c.header);
  }
  for (const Value& object : objects) {
    lines.emplace_back();
    for (const CustomColumn& c : columns) {
      ASSIGN_OR_RETURN(std::string cell, Cell(c, object));
      lines.back().push_back(std::move(cell));
    }
  }
  return AlignColumns(lines);
}

}  // namespace ksim::kubectl
