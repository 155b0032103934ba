// ScriptFile: an op script as text: one JSON object a line, lines of blanks are skipped. It is
// checked whole before the first operation runs, so that a bad line means that nothing was run.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/base/diagnostic.h"
#include "ksim/value/value.h"

namespace ksim::store {

struct ScriptFile {
  ScriptFile() = default;
  std::vector<value::Value> ops;
  std::vector<Diagnostic> errors;  // at most one a line; none: OpReplay runs all of `ops`
};

// `name` is how messages call the text.
ScriptFile ReadScript(std::string_view text, std::string_view name);

}  // namespace ksim::store
