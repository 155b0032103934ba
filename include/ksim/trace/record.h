// Record: one event of a trace as it is written and read: the common fields and those of its kind
// in the order of trace/schema.h. What came from a simulation, from a .jsonl and from a .ktrace is
// the same Record and gives the same line.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/sim/bus.h"
#include "ksim/value/value.h"

namespace ksim::trace {

struct Record {
  Record() = default;
  std::uint64_t seq = 0;
  std::int64_t t = 0;  // virtual ns
  std::string actor;
  sim::EventKind kind = sim::EventKind::kPhase;
  std::uint64_t cause = 0;
  std::vector<value::Value::Member> fields;

  // The field's value; null Value if the event has no such field.
  const value::Value& Get(std::string_view field) const;
  std::string_view Text(std::string_view field) const { return Get(field).AsString(); }
  std::int64_t Int(std::string_view field) const { return Get(field).AsInt(); }
  Record& Add(std::string_view field, value::Value v) {
    fields.emplace_back(field, std::move(v));
    return *this;
  }
};

// {"seq":1,"t":0,"actor":"kubectl","kind":"request","cause":0,...} without a newline.
std::string ToJsonLine(const Record& record);

// InvalidArgument if a common field is missing or of a wrong type, or the kind is unknown. Fields
// come in the order of the schema, unknown ones after them by name.
absl::StatusOr<Record> ParseRecord(const value::Value& line);

}  // namespace ksim::trace
