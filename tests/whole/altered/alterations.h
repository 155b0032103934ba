// What somebody may do to a trace: with a tool that knows the format, to a byte, with a full disk.
#pragma once
#include <string>

#include "ksim/trace/trace.h"
#include "tests/whole/altered/dice.h"

namespace ksim::altered {

// The file with one event altered, whole and well-formed: a field, a common field, its place, or
// the event itself is gone. `what` says what was done.
std::string AlterEvent(const trace::Trace& trace, bool binary, Dice& dice, std::string* what);

std::string FlipBit(std::string file, std::size_t byte, Dice& dice);

}  // namespace ksim::altered
