// The text of cells, as kubectl's tables and descriptions share it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "ksim/value/value.h"

namespace ksim::kubectl {

// The width of a cell as Go's text/tabwriter counts it.
std::size_t CodePointCount(std::string_view text);

// The text with an escape character as "^[" and a carriage return as "\\r", so that no object moves
// the terminal of who looks at it (cli-runtime pkg/printers/terminal.go EscapeTerminal). Tables,
// columns, Events and descriptions are escaped, -o json, yaml, name and jsonpath are not.
std::string EscapeTerminal(std::string_view text);

// "a=b,c=d", "<none>" (apimachinery pkg/labels FormatLabels).
std::string LabelsText(const value::Value& labels);

}  // namespace ksim::kubectl
