// Turns libyaml's complaints into diagnostics that say what to do.
#pragma once
#include <yaml.h>

#include <string_view>

#include "ksim/base/diagnostic.h"
#include "ksim/value/yaml.h"

namespace ksim::value {

// Marks count from 0, in code points.
Span SpanOf(const yaml_mark_t& start, const yaml_mark_t& end);

// The problem that stopped the parser.
Diagnostic ParserProblem(const yaml_parser_t& parser, const YamlFile& file, std::string_view text);

}  // namespace ksim::value
