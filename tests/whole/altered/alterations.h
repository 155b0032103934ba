// Alterations of a trace: by a tool that knows the format, of one byte, or by a full disk.
#pragma once
#include <string>

#include "ksim/trace/trace.h"
#include "tests/whole/altered/dice.h"

namespace ksim::altered {

// One edit, and the file that it makes. The file is well-formed, its numbers and checksums fit what
// it holds: nothing but the edit is wrong.
struct Edit {
  Edit() = default;
  // "commit.changed"; "header.seed" and "end.state" of the first and the last line; "swapped
  // commit" of whole events. The table of docs/traces.md names fields so.
  std::string name;
  std::string text;  // for people: "seq 7: commit.changed: [...] -> [...]"
  std::string file;
};

// Edits one field of an event or of the first or last line. The kind of event is drawn first, so
// that rare kinds are edited as often as others. The new value is of the field's type: one that the
// field has elsewhere, one close to the old one, or an empty one. The fields `seq`, `version` and
// `end.events` are left alone: a reader refuses the file if they are wrong.
Edit EditOneField(const trace::Trace& trace, bool binary, Dice& dice);
// Drops or doubles an event, or swaps it with the one after it. Numbers that name events follow.
Edit EditOneEvent(const trace::Trace& trace, bool binary, Dice& dice);

std::string FlipBit(std::string file, std::size_t byte, Dice& dice);

}  // namespace ksim::altered
