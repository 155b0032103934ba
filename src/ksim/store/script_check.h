// Is this JSON value an operation of an op script? Fields, their types and their words; nothing
// that needs a store. What passes here OpReplay runs.
#pragma once
#include <optional>
#include <string>

#include "ksim/value/value.h"

namespace ksim::store {

struct ScriptProblem {
  ScriptProblem() = default;
  value::Path path;      // of the value that is wrong; empty = the whole line
  bool at_name = false;  // it is the field's name that is wrong
  std::string message;   // as in Diagnostic
  std::string hint;
};

// The first problem of an operation; nullopt if there is none.
std::optional<ScriptProblem> CheckScriptOp(const value::Value& op);

}  // namespace ksim::store
