// Edits of objects for places that run often: names are atoms, and several fields cost one copy.
#pragma once
#include <initializer_list>

#include "ksim/value/value.h"

namespace ksim::value {

// `object` with each of these fields Set, in their order; the same tree if nothing changes.
Value SetAll(const Value& object, std::initializer_list<Value::Member> fields);

// The same as object.Erase(name.text()).
Value EraseField(const Value& object, Atom name);

}  // namespace ksim::value
