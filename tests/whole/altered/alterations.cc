#include "tests/whole/altered/alterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ksim::altered {
namespace {

using trace::Record;
using value::Value;

Value Altered(const Value& v) {
  switch (v.type()) {
    case Value::Type::kBool:
      return Value::Bool(!v.AsBool());
    case Value::Type::kInt:
      return Value::Int(v.AsInt() == 0 ? 1 : v.AsInt() - 1);
    case Value::Type::kString:
      return Value::String(std::string(v.AsString()) + "x");
    case Value::Type::kArray: {
      std::vector<Value> items(v.items().begin(), v.items().end());
      if (items.empty())
        items.push_back(Value::Int(1));
      else
        items.pop_back();
      return Value::Array(std::move(items));
    }
    case Value::Type::kObject:
      return v.Set("altered", Value::Bool(true));
    default:
      return Value::Int(0);
  }
}

void AlterField(Record* r, Dice& dice, std::string* what) {
  Value::Member& m = r->fields[dice.Throw(r->fields.size())];
  *what = fmt::format("event {}: {}", r->seq, m.name.text());
  m.value = Altered(m.value);
}

void AlterCommonField(Record* r, Dice& dice, std::string* what) {
  *what = fmt::format("event {}: who, when or why", r->seq);
  switch (dice.Throw(3)) {
    case 0:
      ++r->t;
      return;
    case 1:
      r->actor += "x";
      return;
    default:
      r->cause = r->cause == 0 ? 1 : 0;
  }
}

// Swaps two neighbours; the sequence numbers stay in order.
void Swap(std::vector<Record>* events, std::size_t i, std::string* what) {
  *what = fmt::format("events {} and {} swapped", i + 1, i + 2);
  std::swap((*events)[i], (*events)[i + 1]);
  std::swap((*events)[i].seq, (*events)[i + 1].seq);
}

void Remove(trace::Trace* trace, std::size_t i, std::string* what) {
  *what = fmt::format("event {} removed", i + 1);
  trace->events.erase(trace->events.begin() + static_cast<std::ptrdiff_t>(i));
  for (std::size_t k = i; k < trace->events.size(); ++k) --trace->events[k].seq;
  --trace->end->events;
}

}  // namespace

std::string AlterEvent(const trace::Trace& trace, bool binary, Dice& dice, std::string* what) {
  trace::Trace copy = trace;
  const std::size_t i = dice.Throw(copy.events.size() - 1);
  switch (dice.Throw(8)) {
    case 0:
      AlterCommonField(&copy.events[i], dice, what);
      break;
    case 1:
      Swap(&copy.events, i, what);
      break;
    case 2:
      Remove(&copy, i, what);
      break;
    default:
      AlterField(&copy.events[i], dice, what);
  }
  const auto line = [i](const trace::Trace& t) { return trace::ToJsonLine(t.events[i]); };
  if (line(copy) == line(trace)) AlterField(&copy.events[i], dice, what);  // twins were swapped
  return trace::FormatTrace(copy, binary);
}

std::string FlipBit(std::string file, std::size_t byte, Dice& dice) {
  file[byte] = static_cast<char>(file[byte] ^ (1 << dice.Throw(8)));
  return file;
}

}  // namespace ksim::altered
