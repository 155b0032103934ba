// A result as `-o json` or `-o yaml` print it.
#pragma once
#include <string>
#include <vector>

#include "ksim/value/value.h"

namespace ksim::kubectl {

std::string TreeText(const value::Value& tree, const std::string& format);

// A v1 List of objects, as kubectl prints several.
value::Value ListOf(std::vector<value::Value> items);

}  // namespace ksim::kubectl
