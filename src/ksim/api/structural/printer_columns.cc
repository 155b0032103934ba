#include "ksim/api/structural/printer_columns.h"

#include <utility>

#include "ksim/api/core/definition.h"
#include "ksim/value/timestamp.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kCreationText =
    "CreationTimestamp is a timestamp representing the server time when this object was created. "
    "It is not guaranteed to be set in happens-before order across separate operations. Clients "
    "may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the "
    "system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

void ReadPath(std::string_view json_path, PrinterColumn* column) {
  absl::StatusOr<value::JsonPath> path = value::JsonPath::Parse("{" + std::string(json_path) + "}");
  if (path.ok()) column->path = *std::move(path);
}

PrinterColumn AgeColumn() {
  PrinterColumn age;
  age.name = "Age";
  age.type = "date";
  age.description = kCreationText;
  ReadPath(".metadata.creationTimestamp", &age);
  return age;
}

Value AgeText(std::string_view text, VirtualTime now) {
  if (text.empty() || text == "null") return Value::Of("<unknown>");
  const absl::StatusOr<VirtualTime> then = value::ParseTimestamp(text);
  return Value::Of(then.ok() ? value::HumanDuration(now - *then) : std::string("<invalid>"));
}

}  // namespace

std::vector<PrinterColumn> PrinterColumnsOf(const ResourceInfo& kind) {
  std::vector<PrinterColumn> columns;
  const Value& defined = kind.definition->version.Get("additionalPrinterColumns");
  if (defined.empty()) return {AgeColumn()};
  for (const Value& one : defined.items()) {
    PrinterColumn column;
    column.name = one.Get("name").AsString();
    column.type = one.Get("type").AsString();
    column.format = one.Get("format").AsString();
    const std::string path(one.Get("jsonPath").AsString());
    column.description = one.Get("description").AsString();
    if (column.description.empty())
      column.description = "Custom resource definition column (in JSONPath format): " + path;
    column.priority = static_cast<int>(one.Get("priority").AsInt());
    ReadPath(path, &column);
    if (!column.path) return columns;  // upstream keeps those before it
    columns.push_back(std::move(column));
  }
  return columns;
}

// cellForJSONValue
Value CellOf(const PrinterColumn& column, const Value& tree, VirtualTime now) {
  const auto found = column.path->Find(tree);
  if (!found.ok() || found->empty() || found->front().empty()) return Value();
  const Value& v = found->front().front();
  if (column.type == "string") return Value::Of(value::JsonPath::Text({{v}}));
  if (column.type == "date") return v.is_string() ? AgeText(v.AsString(), now) : Value();
  if (column.type == "boolean") return v.is_bool() ? v : Value();
  if (!v.is_number()) return Value();
  if (column.type == "integer")
    return v.is_int() ? v : Value::Int(static_cast<std::int64_t>(v.AsDouble()));
  return column.type == "number" ? v : Value();
}

}  // namespace ksim::api
