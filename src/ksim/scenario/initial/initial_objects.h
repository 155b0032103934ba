// How the objects of an initial state are brought into the form in which a store would have them.
#pragma once
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/base/diagnostic.h"
#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

// Takes out nulls, resource versions and what every namespaced object lacks; gives a uid and a time
// of creation to what has none; adds the namespaces that nobody made; shifts all times so that the
// newest is the start of the run; sorts by resource version. Tells in `warnings` of owners that are
// not there, whose dependents the garbage collector would delete.
std::vector<Manifest> PrepareInitial(std::vector<Manifest> objects, const api::Kinds& kinds,
                                     std::vector<Diagnostic>* warnings);

// The newest of an object's times, of those that tell what has happened; VirtualTime() - Max if it
// has none.
VirtualTime NewestTime(const value::Value& tree);
// The object with all its times moved by so much.
value::Value ShiftTimes(const value::Value& tree, Duration by);

}  // namespace ksim::scenario
