#include "ksim/trace/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "ksim/base/status.h"
#include "ksim/trace/schema.h"
#include "ksim/value/json.h"

namespace ksim::trace {

using value::Atom;
using value::Value;

const Value& Record::Get(std::string_view field) const {
  static const Value null;
  for (const Value::Member& m : fields)
    if (m.name.text() == field) return m.value;
  return null;
}

std::string ToJsonLine(const Record& r) {
  std::string out = fmt::format("{{\"seq\":{},\"t\":{},\"actor\":", r.seq, r.t);
  value::AppendJsonString(r.actor, &out);
  fmt::format_to(std::back_inserter(out), ",\"kind\":\"{}\",\"cause\":{}", KindName(r.kind),
                 r.cause);
  for (const Value::Member& m : r.fields) {
    out += ',';
    value::AppendJsonString(m.name.text(), &out);
    out += ':';
    value::AppendJson(m.value, &out);
  }
  out += '}';
  return out;
}

absl::StatusOr<Record> ParseRecord(const Value& line) {
  static const Atom kSeq("seq"), kT("t"), kActor("actor"), kKind("kind"), kCause("cause");
  static const Atom kCommon[] = {kSeq, kT, kActor, kKind, kCause};
  for (const Atom field : kCommon) {
    const bool text = field == kActor || field == kKind;
    const Value& v = line.Get(field);
    if (text ? v.is_string() : v.is_int()) continue;
    return absl::InvalidArgumentError(
        fmt::format("\"{}\" is missing or no {}", field.text(), text ? "string" : "integer"));
  }
  const std::optional<sim::EventKind> kind = ParseKind(line.Get(kKind).AsString());
  if (!kind)
    return absl::InvalidArgumentError(
        fmt::format("unknown kind of event \"{}\"", line.Get(kKind).AsString()));
  Record r;
  r.seq = static_cast<std::uint64_t>(line.Get(kSeq).AsInt());
  r.t = line.Get(kT).AsInt();
  r.actor = std::string(line.Get(kActor).AsString());
  r.kind = *kind;
  r.cause = static_cast<std::uint64_t>(line.Get(kCause).AsInt());
  r.fields.reserve(line.size() - std::size(kCommon));
  const std::vector<Atom>& order = FieldAtomsOf(*kind);
  for (const Atom field : order)
    if (const Value* v = line.Find(field)) r.fields.emplace_back(field, *v);
  if (r.fields.size() + std::size(kCommon) == line.size()) return r;
  const auto known = [](std::span<const Atom> names, Atom name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const Value::Member& m : line.members())
    if (!known(kCommon, m.name) && !known(order, m.name)) r.fields.push_back(m);
  return r;
}

}  // namespace ksim::trace
