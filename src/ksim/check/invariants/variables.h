// Variables: what the expressions of invariants may name (expression.h tells their meanings), and
// the environment that they are compiled in.
#pragma once
#include <optional>
#include <string_view>

#include "ksim/cel/environment.h"
#include "ksim/check/invariants/moment.h"

namespace ksim::check {

// The choice of CEL's libraries and syntax.
const cel::EnvironmentOptions& InvariantEnvironment();
// With the variables declared.
const cel::Environment& InvariantDeclarations();
bool IsInvariantVariable(std::string_view name);
// The value of a variable; an error value where it has none, as the age of what was deleted.
std::optional<cel::Val> ValueAt(const Moment& moment, std::string_view variable);

}  // namespace ksim::check
