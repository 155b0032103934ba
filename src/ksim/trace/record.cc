#include "ksim/trace/record.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/status.h"
#include "ksim/trace/schema.h"
#include "ksim/value/json.h"

namespace ksim::trace {

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
  static constexpr std::string_view kCommon[] = {"seq", "t", "actor", "kind", "cause"};
  for (std::string_view field : kCommon) {
    const bool text = field == "actor" || field == "kind";
    const Value& v = line.Get(field);
    if (text ? v.is_string() : v.is_int()) continue;
    return absl::InvalidArgumentError(
        fmt::format("\"{}\" is missing or no {}", field, text ? "string" : "integer"));
  }
  const std::optional<sim::EventKind> kind = ParseKind(line.Get("kind").AsString());
  if (!kind)
    return absl::InvalidArgumentError(
        fmt::format("unknown kind of event \"{}\"", line.Get("kind").AsString()));
  Record r;
  r.seq = static_cast<std::uint64_t>(line.Get("seq").AsInt());
  r.t = line.Get("t").AsInt();
  r.actor = std::string(line.Get("actor").AsString());
  r.kind = *kind;
  r.cause = static_cast<std::uint64_t>(line.Get("cause").AsInt());
  const std::vector<std::string_view>& order = FieldsOf(*kind);
  for (std::string_view field : order)
    if (const Value* v = line.Find(value::Atom(field))) r.Add(field, *v);
  for (const Value::Member& m : line.members()) {
    const std::string_view name = m.name.text();
    if (std::find(std::begin(kCommon), std::end(kCommon), name) != std::end(kCommon)) continue;
    if (std::find(order.begin(), order.end(), name) == order.end()) r.Add(name, m.value);
  }
  return r;
}

}  // namespace ksim::trace
