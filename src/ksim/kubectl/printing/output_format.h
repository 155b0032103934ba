// OutputFormat: what -o asks of `ksim get`: one of kubectl's formats, some of them with a template
// behind an equals sign.
//
// Source: kubectl pkg/cmd/get/get_flags.go, cli-runtime pkg/genericclioptions/jsonpath_flags.go,
// pkg/printers/jsonpath.go.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/kubectl/printing/custom_columns.h"
#include "ksim/value/jsonpath.h"
#include "ksim/value/value.h"

namespace ksim::kubectl {

class OutputFormat {
 public:
  enum class Kind { kText, kWide, kJson, kYaml, kName, kJsonPath, kJsonPathAsJson, kColumns };
  static constexpr std::string_view kNames =
      "text, wide, json, yaml, name, jsonpath=TEMPLATE, jsonpath-as-json=TEMPLATE, "
      "jsonpath-file=FILE, custom-columns=SPEC, custom-columns-file=FILE";

  // InvalidArgument with kubectl's text.
  static absl::StatusOr<OutputFormat> Parse(const std::string& text);

  Kind kind() const { return kind_; }
  bool is_table() const { return kind_ == Kind::kText || kind_ == Kind::kWide; }

  // One object or a list of kind List, in any format but tables and names. `allow_missing`: a field
  // that a template names and nothing has is no error.
  absl::StatusOr<std::string> Print(const value::Value& tree, bool no_headers,
                                    bool allow_missing) const;

 private:
  absl::StatusOr<std::string> PrintPath(const value::Value& tree, bool allow_missing) const;

  Kind kind_ = Kind::kText;
  std::string template_;
  value::JsonPath path_;
  std::vector<CustomColumn> columns_;
};

}  // namespace ksim::kubectl
