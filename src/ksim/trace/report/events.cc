#include "ksim/trace/report/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "ksim/trace/actors.h"
#include "ksim/trace/changes.h"
#include "ksim/trace/schema.h"
#include "ksim/trace/state.h"
#include "ksim/value/diff.h"
#include "ksim/value/json.h"

namespace ksim::trace {
namespace {

using value::Value;
using Kind = sim::EventKind;

constexpr std::int64_t kExactInScripts = 1LL << 53;

// Writes values with their texts as numbers into one table.
class Compact {
 public:
  void Append(std::string_view text, std::string* out) {
    const auto [it, added] = numbers_.try_emplace(std::string(text), texts_.size());
    if (added) texts_.emplace_back(text);
    *out += fmt::format("-{}", it->second + 1);
  }

  void Append(const Value& v, std::string* out) {
    if (v.is_string()) return Append(v.AsString(), out);
    if (v.is_int() && (v.AsInt() < 0 || v.AsInt() >= kExactInScripts))
      return Append(value::ToJson(v), out);
    value::AppendJson(v, out);
  }

  // The values; what they stand for is in a table, since objects of a kind are made alike.
  void AppendChanges(const Value& changes, std::string* out) {
    std::string shape, values;
    for (const Value& c : changes.items()) {
      shape += shape.empty() ? '[' : ',';
      Append(c.Get("path").AsString(), &shape);
      shape += fmt::format(",{}", (c.Has("old") ? 1 : 0) + (c.Has("new") ? 2 : 0));
      for (const char* side : {"old", "new"}) {
        if (!c.Has(side)) continue;
        values += ',';
        Append(c.Get(side), &values);
      }
    }
    shape += shape.empty() ? "[]" : "]";
    const auto [it, added] = shape_numbers_.try_emplace(shape, shapes_.size());
    if (added) shapes_.push_back(std::move(shape));
    *out += fmt::format("[{}{}]", it->second, values);
  }

  const std::vector<std::string>& texts() const { return texts_; }
  const std::vector<std::string>& change_shapes() const { return shapes_; }

 private:
  std::unordered_map<std::string, std::size_t> numbers_, shape_numbers_;
  std::vector<std::string> texts_, shapes_;
};

// In a script element nothing may look like its end.
void Emit(std::string_view json, Sink sink) {
  for (std::size_t at = json.find('<'); at != std::string_view::npos; at = json.find('<')) {
    sink(json.substr(0, at));
    sink("\\u003c");
    json.remove_prefix(at + 1);
  }
  sink(json);
}

std::string ListOf(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ',';
    value::AppendJsonString(text, &out);
  }
  return out + "]";
}

// The objects before those commits whose forerunner is not in the page.
class Bases {
 public:
  Bases(const Excerpt& excerpt, const Chosen& chosen) {
    const std::vector<Record>& events = excerpt.trace().events;
    if (chosen.events.size() == events.size()) return;
    std::set<State::Key> missing;  // the last commit of which is not in the page
    State state;
    auto next = chosen.events.begin();
    for (std::size_t i = 0; i < excerpt.last(); ++i) {
      const bool here = next != chosen.events.end() && *next == i;
      if (here) ++next;
      if (events[i].kind != Kind::kCommit) continue;
      const Record& r = events[i];
      const State::Key key{std::string(r.Text("resource")), std::string(r.Text("namespace")),
                           std::string(r.Text("name"))};
      if (!here)
        missing.insert(key);
      else if (missing.erase(key) > 0 && r.Text("op") != "create")
        bases_[r.seq] =
            ChangesToTree(value::Diff(Value(), state.Get(key.resource, key.ns, key.name).tree()));
      if (!state.Apply(r).ok()) return;  // no trace of a run: there is nothing to fold
    }
  }
  const std::map<std::uint64_t, Value>& all() const { return bases_; }

 private:
  std::map<std::uint64_t, Value> bases_;
};

class EventTable {
 public:
  EventTable(const Excerpt& excerpt, const Chosen& chosen) : excerpt_(excerpt), chosen_(chosen) {
    std::set<std::string> names;
    for (std::size_t i : chosen.events) names.insert(At(i).actor);
    actors_.assign(names.begin(), names.end());
    std::sort(actors_.begin(), actors_.end(), StandsAbove);
    for (const std::string& name : actors_) actor_numbers_.try_emplace(name, actor_numbers_.size());
  }

  void Write(Sink sink) {
    sink("{\"events\":[");
    for (std::size_t i : chosen_.events) {
      Emit((i == chosen_.events.front() ? "\n" : ",\n") + Row(At(i)), sink);
    }
    sink("],\n\"bases\":{");
    bool first = true;
    const Bases bases(excerpt_, chosen_);
    for (const auto& [seq, changes] : bases.all()) {
      std::string base = fmt::format("{}\"{}\":", first ? "" : ",", seq);
      compact_.AppendChanges(changes, &base);
      Emit(base, sink);
      first = false;
    }
    Emit(fmt::format("}},\n\"end\":{},\n\"actors\":{},\n\"shapes\":[{}],\n"
                     "\"changes\":[{}],\n\"strings\":{}}}",
                     excerpt_.end_time(), ListOf(actors_), fmt::join(shapes_, ","),
                     fmt::join(compact_.change_shapes(), ","), ListOf(compact_.texts())),
         sink);
  }

 private:
  const Record& At(std::size_t i) const { return excerpt_.trace().events[i]; }

  // Whole objects are for those who read lines.
  static bool IsShown(const Record& r, std::string_view field) {
    if (field == "changed") return r.Text("op") != "delete";
    return field != "object" && field != "body";
  }

  std::string Row(const Record& r) {
    std::string names, values;
    for (const Value::Member& m : r.fields) {
      const std::string_view name = m.name.text();
      if (!IsShown(r, name)) continue;
      if (!names.empty()) names += ',';
      value::AppendJsonString(name, &names);
      values += ',';
      if (name == "changed")
        compact_.AppendChanges(m.value, &values);
      else
        compact_.Append(m.value, &values);
    }
    const std::string row = fmt::format("[{},{},{},{},{}{}]", ShapeOf(r.kind, names), r.seq - seq_,
                                        r.t - t_, actor_numbers_[r.actor], r.cause, values);
    seq_ = r.seq;
    t_ = r.t;
    return row;
  }

  std::size_t ShapeOf(Kind kind, const std::string& names) {
    std::string shape = fmt::format("{{\"kind\":\"{}\",\"fields\":[{}]}}", KindName(kind), names);
    const auto [it, added] = shape_numbers_.try_emplace(shape, shapes_.size());
    if (added) shapes_.push_back(std::move(shape));
    return it->second;
  }

  const Excerpt& excerpt_;
  const Chosen& chosen_;
  Compact compact_;
  std::vector<std::string> actors_, shapes_;
  std::map<std::string, std::size_t> actor_numbers_, shape_numbers_;
  std::uint64_t seq_ = 0;
  std::int64_t t_ = 0;
};

}  // namespace

void WriteEvents(const Excerpt& excerpt, const Chosen& chosen, Sink sink) {
  EventTable(excerpt, chosen).Write(sink);
}

}  // namespace ksim::trace
