// Own oracles: those that a program registers (ksim/check/own_oracle.h), as entries beside ksim's.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/check/oracle.h"

namespace ksim::check {

// In the order in which they were registered.
std::vector<std::string> OwnOracleNames();
bool IsOwnOracle(std::string_view name);

}  // namespace ksim::check
