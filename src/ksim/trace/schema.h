// The event kinds of a trace and the order of their fields: the one table for writer, reader,
// triggers and `ksim explain`.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "ksim/sim/bus.h"
#include "ksim/value/value.h"

namespace ksim::trace {

std::string_view KindName(sim::EventKind kind);  // "request" ... "violation"
std::optional<sim::EventKind> ParseKind(std::string_view name);
const std::vector<std::string_view>& KindNames();  // in order of their numbers

// The fields after seq, t, actor, kind and cause, in the order they are written.
const std::vector<std::string_view>& FieldsOf(sim::EventKind kind);
const std::vector<value::Atom>& FieldAtomsOf(sim::EventKind kind);

}  // namespace ksim::trace
