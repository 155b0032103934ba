#include "ksim/kubectl/printing/output_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/kubectl/printing/tree_text.h"
#include "ksim/value/go_format.h"
#include "ksim/value/text.h"

namespace ksim::kubectl {
namespace {

using value::InvalidText;
using value::JsonPath;
using value::Value;
using Kind = OutputFormat::Kind;

struct Format {
  std::string_view name;
  Kind kind;
  bool templated = false;
};
constexpr Format kFormats[] = {{"text", Kind::kText},
                               {"wide", Kind::kWide},
                               {"json", Kind::kJson},
                               {"yaml", Kind::kYaml},
                               {"name", Kind::kName},
                               {"jsonpath", Kind::kJsonPath, true},
                               {"jsonpath-file", Kind::kJsonPath, true},
                               {"jsonpath-as-json", Kind::kJsonPathAsJson, true},
                               {"custom-columns", Kind::kColumns, true},
                               {"custom-columns-file", Kind::kColumns, true}};

absl::Status NoSuchFormat(std::string_view text) {
  std::vector<std::string_view> names;
  for (const Format& f : kFormats) names.push_back(f.name);
  std::sort(names.begin(), names.end());
  return InvalidText(fmt::format(
      "unable to match a printer suitable for the output format {}, allowed formats are: {}",
      value::GoQuote(text), fmt::join(names, ",")));
}

absl::StatusOr<std::string> ReadTemplate(const std::string& path, std::string_view what) {
  absl::StatusOr<std::string> text = os::ReadFile(path);
  if (text.ok()) return text;
  return InvalidText(fmt::format("error reading {} {}, {}", what, path, Message(text.status())));
}

std::vector<Value> ItemsOf(const Value& tree) {
  const std::string_view kind = tree.Get("kind").AsString();
  if (kind != "List" && kind != "EventList") return {tree};
  const Value::Items items = tree.Get("items").items();
  return {items.begin(), items.end()};
}

}  // namespace

absl::StatusOr<OutputFormat> OutputFormat::Parse(const std::string& text) {
  if (text.empty()) return OutputFormat();  // -o "$UNSET" is no -o
  const std::size_t equals = text.find('=');
  std::string name = text.substr(0, equals);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto* format = std::find_if(std::begin(kFormats), std::end(kFormats),
                                    [&name](const Format& f) { return f.name == name; });
  if (format == std::end(kFormats) || (!format->templated && equals != std::string::npos))
    return NoSuchFormat(text);
  OutputFormat out;
  out.kind_ = format->kind;
  if (!format->templated) return out;
  out.template_ = equals == std::string::npos ? "" : text.substr(equals + 1);
  const bool file = name.ends_with("-file");
  if (out.kind_ == Kind::kColumns) {
    if (out.template_.empty() || !file) {
      ASSIGN_OR_RETURN(out.columns_, ParseCustomColumns(out.template_));
      return out;
    }
    ASSIGN_OR_RETURN(const std::string lines, ReadTemplate(out.template_, "template"));
    ASSIGN_OR_RETURN(out.columns_, ParseCustomColumnsFile(lines));
    return out;
  }
  if (out.template_.empty()) return InvalidText("template format specified but no template given");
  if (file) {
    ASSIGN_OR_RETURN(out.template_, ReadTemplate(out.template_, "--template"));
  }
  absl::StatusOr<JsonPath> path = JsonPath::Parse(out.template_);
  if (!path.ok())
    return InvalidText(
        fmt::format("error parsing jsonpath {}, {}", out.template_, Message(path.status())));
  out.path_ = *std::move(path);
  return out;
}

absl::StatusOr<std::string> OutputFormat::Print(const Value& tree, bool no_headers,
                                                bool allow_missing) const {
  switch (kind_) {
    case Kind::kJson:
      return value::GoJson(tree, 4) + "\n";
    case Kind::kYaml:
      return TreeText(tree, "yaml");
    case Kind::kColumns:
      return RenderCustomColumns(columns_, ItemsOf(tree), no_headers);
    default:
      return PrintPath(tree, allow_missing);
  }
}

absl::StatusOr<std::string> OutputFormat::PrintPath(const Value& tree, bool allow_missing) const {
  const auto found =
      path_.Find(tree, allow_missing ? JsonPath::Missing::kEmpty : JsonPath::Missing::kError);
  if (found.ok()) return kind_ == Kind::kJsonPath ? JsonPath::Text(*found) : JsonPath::Json(*found);
  return InvalidText(fmt::format(
      "error executing jsonpath {}: Error executing template: {}. Printing more information for "
      "debugging the template:\n\ttemplate was:\n\t\t{}\n\tobject given to jsonpath engine "
      "was:\n\t\t{}\n\n",
      value::GoQuote(template_), Message(found.status()), template_, value::GoSyntax(tree)));
}

}  // namespace ksim::kubectl
