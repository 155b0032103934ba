// The shape of records: which fields an event of each kind has, of which type, and the words that
// some of them are limited to.
#pragma once
#include <string>

#include "ksim/trace/record.h"

namespace ksim::check {

// How a record is not of its kind's shape: `has no "verb"`; "" = it is.
std::string ShapeProblem(const trace::Record& r);

}  // namespace ksim::check
