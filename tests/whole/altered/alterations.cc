#include "tests/whole/altered/alterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "ksim/trace/schema.h"
#include "ksim/value/json.h"

namespace ksim::altered {
namespace {

using trace::Record;
using value::Value;

constexpr std::string_view kCommonFields[] = {"t", "actor", "kind", "cause"};
constexpr std::size_t kLongestText = 200;  // of a value, in Edit::text

// --- new values ---

Value Close(const Value& v, Dice& dice);

Value CloseText(std::string text, Dice& dice) {
  if (text.empty()) return Value::String("x");
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos &&
      text.size() < 18)
    return Value::String(std::to_string(std::stoll(text) + (dice.OneIn(2) ? 1 : 2)));
  switch (dice.Throw(3)) {
    case 0:
      return Value::String(text + "x");
    case 1:
      return Value::String(text.substr(0, text.size() - 1));
    default:
      char& c = text[dice.Throw(text.size())];
      c = c == 'e' ? 'a' : 'e';
      return Value::String(text);
  }
}

Value CloseList(const Value& v, Dice& dice) {
  std::vector<Value> items(v.items().begin(), v.items().end());
  if (items.empty()) return Value::Array({Value::Int(1)});
  const std::size_t at = dice.Throw(items.size());
  if (dice.OneIn(4))
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
  else
    items[at] = Close(items[at], dice);
  return Value::Array(std::move(items));
}

Value CloseObject(const Value& v, Dice& dice) {
  std::vector<Value::Member> members(v.members().begin(), v.members().end());
  if (members.empty()) return v.Set("limit", Value::String("7"));
  const std::size_t at = dice.Throw(members.size());
  if (dice.OneIn(4))
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(at));
  else
    members[at].value = Close(members[at].value, dice);
  return Value::Object(std::move(members));
}

// A value of the same type that looks as good.
Value Close(const Value& v, Dice& dice) {
  switch (v.type()) {
    case Value::Type::kBool:
      return Value::Bool(!v.AsBool());
    case Value::Type::kInt:
      return Value::Int(v.AsInt() == 0 || dice.OneIn(2) ? v.AsInt() + 1 : v.AsInt() - 1);
    case Value::Type::kString:
      return CloseText(std::string(v.AsString()), dice);
    case Value::Type::kArray:
      return CloseList(v, dice);
    case Value::Type::kObject:
      return CloseObject(v, dice);
    default:
      return Value::Int(0);
  }
}

// --- fields by name ---

Value Field(const Record& r, std::string_view field) {
  if (field == "t") return Value::Int(r.t);
  if (field == "actor") return Value::String(r.actor);
  if (field == "kind") return Value::Of(trace::KindName(r.kind));
  if (field == "cause") return Value::Int(static_cast<std::int64_t>(r.cause));
  return r.Get(field);
}

void SetField(Record* r, std::string_view field, const Value& v) {
  if (field == "t")
    r->t = v.AsInt();
  else if (field == "actor")
    r->actor = v.AsString();
  else if (field == "kind")
    r->kind = trace::ParseKind(v.AsString()).value_or(r->kind);
  else if (field == "cause")
    r->cause = static_cast<std::uint64_t>(v.AsInt());
  for (Value::Member& m : r->fields)
    if (m.name.text() == field) m.value = v;
}

Value Empty(const Value& v) {
  switch (v.type()) {
    case Value::Type::kBool:
      return Value::Bool(false);
    case Value::Type::kInt:
      return Value::Int(0);
    case Value::Type::kString:
      return Value::String("");
    case Value::Type::kArray:
      return Value::Array({});
    default:
      return Value::Object({});
  }
}

// A value that the field has in another event of the kind; null if it has no other.
Value Elsewhere(const trace::Trace& trace, const Record& r, std::string_view field, Dice& dice) {
  const std::size_t n = trace.events.size(), from = dice.Throw(n);
  const Value own = Field(r, field);
  for (std::size_t i = 0; i < n; ++i) {
    const Record& other = trace.events[(from + i) % n];
    if (other.kind != r.kind && field != "kind") continue;
    const Value v = Field(other, field);
    if (v.type() == own.type() && v != own) return v;
  }
  return Value();
}

// --- one field ---

std::string Brief(const Value& v) {
  const std::string text = value::ToJson(v);
  return text.size() > kLongestText ? text.substr(0, kLongestText) + "..." : text;
}

void Describe(Edit* edit, const std::string& place, const Value& old, const Value& now) {
  edit->text = fmt::format("{}: {}: {} -> {}", place, edit->name, Brief(old), Brief(now));
}

// Another value for a field; `elsewhere` may be null.
Value Another(const Value& old, const Value& elsewhere, Dice& dice) {
  Value now;
  const std::uint64_t way = dice.Throw(8);
  if (way < 4) now = elsewhere;
  if (way == 4) now = Empty(old);
  while (now.is_null() || now == old) now = Close(old, dice);
  return now;
}

void EditRecord(Record* r, const trace::Trace& trace, Edit* edit, Dice& dice) {
  const std::size_t place = dice.Throw(std::size(kCommonFields) + r->fields.size());
  const std::string field =
      place < std::size(kCommonFields)
          ? std::string(kCommonFields[place])
          : std::string(r->fields[place - std::size(kCommonFields)].name.text());
  const Value old = Field(*r, field);
  const Value elsewhere = Elsewhere(trace, *r, field, dice);
  // A word that is no kind cannot be written.
  const Value now = field == "kind" ? elsewhere : Another(old, elsewhere, dice);
  edit->name = fmt::format("{}.{}", trace::KindName(r->kind), field);
  Describe(edit, fmt::format("seq {}", r->seq), old, now);
  SetField(r, field, now);
}

// Edits a member of the first or of the last line in the text of a trace.
Edit EditLine(const trace::Trace& trace, bool first, Dice& dice) {
  Edit edit;
  edit.file = trace::FormatTrace(trace, false);
  const std::size_t begin = first ? 0 : edit.file.rfind('\n', edit.file.size() - 2) + 1;
  const std::size_t length = edit.file.find('\n', begin) - begin;
  const Value line = value::ParseJson(edit.file.substr(begin, length)).value();
  const Value& fields = first ? line : line.Get("end");
  std::vector<std::string> names;
  for (const Value::Member& m : fields.members()) {
    const std::string_view n = m.name.text();
    const bool read = n == "ksim" || n == "version" || n == "events";
    const bool empty = m.value.is_array() && m.value.empty();  // whose items are unknown
    if (!read && !empty) names.emplace_back(n);
  }
  const std::string& name = names[dice.Throw(names.size())];
  const Value old = fields.Get(name), now = Another(old, Value(), dice);
  edit.name = fmt::format("{}.{}", first ? "header" : "end", name);
  Describe(&edit, first ? "first line" : "last line", old, now);
  const Value edited = fields.Set(name, now);
  edit.file.replace(begin, length, value::ToJson(first ? edited : line.Set("end", edited)));
  return edit;
}

// --- whole events ---

// Moves every number that names an event.
template <class F>
void Renumber(trace::Trace* trace, F number) {
  std::uint64_t seq = 0;
  for (Record& r : trace->events) {
    r.seq = ++seq;
    r.cause = number(r.cause);
    if (r.kind == sim::EventKind::kViolation)
      SetField(&r, "first",
               Value::Int(
                   static_cast<std::int64_t>(number(static_cast<std::uint64_t>(r.Int("first"))))));
  }
  if (!trace->end) return;
  trace->end->events = seq;
  for (trace::Violation& v : trace->end->violations) v.first = number(v.first);
}

}  // namespace

Edit EditOneField(const trace::Trace& trace, bool binary, Dice& dice) {
  std::map<sim::EventKind, std::vector<std::size_t>> by_kind;
  for (std::size_t i = 0; i < trace.events.size(); ++i) by_kind[trace.events[i].kind].push_back(i);
  const std::size_t drawn = dice.Throw(by_kind.size() + 2);  // the first and the last line as well
  if (drawn >= by_kind.size()) return EditLine(trace, drawn == by_kind.size(), dice);
  const auto chosen = std::next(by_kind.begin(), static_cast<std::ptrdiff_t>(drawn));
  Edit edit;
  trace::Trace after = trace;
  EditRecord(&after.events[chosen->second[dice.Throw(chosen->second.size())]], trace, &edit, dice);
  edit.file = trace::FormatTrace(after, binary);
  return edit;
}

Edit EditOneEvent(const trace::Trace& trace, bool binary, Dice& dice) {
  Edit edit;
  trace::Trace after = trace;
  const std::size_t index = dice.Throw(trace.events.size() - 1);
  const std::uint64_t seq = trace.events[index].seq;
  std::vector<Record>& events = after.events;
  const auto at = events.begin() + static_cast<std::ptrdiff_t>(index);
  switch (dice.Throw(3)) {
    case 0:
      edit.name = "dropped";
      events.erase(at);
      Renumber(&after, [seq](std::uint64_t s) { return s < seq ? s : s - 1; });
      break;
    case 1:
      edit.name = "doubled";
      events.insert(at, Record(*at));
      Renumber(&after, [seq](std::uint64_t s) { return s <= seq ? s : s + 1; });
      break;
    default:
      edit.name = "swapped";
      std::swap(*at, *std::next(at));
      Renumber(&after, [seq](std::uint64_t s) {
        return s == seq ? seq + 1 : s == seq + 1 ? seq : s;
      });
  }
  edit.name += fmt::format(" {}", trace::KindName(trace.events[index].kind));
  edit.text = fmt::format("seq {}: {}", seq, edit.name);
  edit.file = trace::FormatTrace(after, binary);
  return edit;
}

std::string FlipBit(std::string file, std::size_t byte, Dice& dice) {
  file[byte] = static_cast<char>(file[byte] ^ (1 << dice.Throw(8)));
  return file;
}

}  // namespace ksim::altered
