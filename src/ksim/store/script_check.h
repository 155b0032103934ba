// Checks that a JSON value is an operation of an op script: fields, their types and their words,
// nothing that needs a store. OpReplay runs every operation that passes.
#pragma once
#include <optional>
#include <string>

#include "ksim/value/value.h"

namespace ksim::store {

struct ScriptProblem {
  ScriptProblem() = default;
  value::Path path;      // of the bad value; empty = the whole line
  bool at_name = false;  // the field's name is bad, not its value
  std::string message;   // as in Diagnostic
  std::string hint;
};

// The first problem of an operation; nullopt if there is none.
std::optional<ScriptProblem> CheckScriptOp(const value::Value& op);

}  // namespace ksim::store
