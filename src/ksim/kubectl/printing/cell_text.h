// The text of cells, as kubectl's tables and descriptions share it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "ksim/value/value.h"

namespace ksim::kubectl {

// The width of a cell as Go's text/tabwriter counts it.
std::size_t CodePointCount(std::string_view text);

// "a=b,c=d", "<none>" (apimachinery pkg/labels FormatLabels).
std::string LabelsText(const value::Value& labels);

}  // namespace ksim::kubectl
