// Alterations of a trace: by a tool that knows the format, of one byte, or by a full disk.
#pragma once
#include <string>

#include "ksim/trace/trace.h"
#include "tests/whole/altered/dice.h"

namespace ksim::altered {

// The file with one event altered, whole and well-formed: a field or a common field differs, the
// event stands in another place, or it is missing. `what` describes the alteration.
std::string AlterEvent(const trace::Trace& trace, bool binary, Dice& dice, std::string* what);

std::string FlipBit(std::string file, std::size_t byte, Dice& dice);

}  // namespace ksim::altered
