// Recorded runs to mutate: real traces of scenarios/.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ksim/check/checker.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/runner.h"
#include "ksim/trace/trace.h"

namespace ksim::check {

using trace::Record;
using trace::Trace;
using value::Value;

inline Trace Recorded(const std::string& scenario, const std::string& compat) {
  scenario::LoadOptions options;
  options.set = {"compat=\"" + compat + "\""};
  scenario::Runner runner(
      scenario::Load({"scenarios/" + scenario + ".yaml"}, options).scenarios.at(0),
      scenario::RunnerOptions());
  runner.Run();
  return runner.MakeTrace(trace::RenderOptions());
}

// A scenario given as its text.
inline Trace RunOf(const std::string& yaml, const std::string& compat) {
  scenario::LoadOptions options;
  options.set = {"compat=\"" + compat + "\""};
  options.read = [&yaml](const std::string&) -> absl::StatusOr<std::string> { return yaml; };
  scenario::Loaded loaded = scenario::Load({"test.yaml"}, options);
  EXPECT_EQ(Render(loaded.errors, false), "");
  if (loaded.scenarios.empty()) return Trace();
  scenario::Runner runner(loaded.scenarios.at(0), scenario::RunnerOptions());
  runner.Run();
  return runner.MakeTrace(trace::RenderOptions());
}

// The messages of one oracle over a trace, a line each.
inline std::string Said(const Trace& t, std::string_view oracle) {
  std::string out;
  const auto checker = CheckTrace(t, {"*"});
  if (!checker.ok()) return "BAD TRACE";
  for (const Finding& f : (*checker)->findings())
    if (f.violation.oracle == oracle) out += f.violation.message + "\n";
  return out;
}

// Whether an oracle had something to judge in a trace.
inline bool Judges(const Trace& t, const std::string& oracle) {
  const auto checker = CheckTrace(t, {"*"});
  if (!checker.ok()) return false;
  const std::vector<std::string> judged = (*checker)->judged();
  return std::find(judged.begin(), judged.end(), oracle) != judged.end();
}

// Replaces a field.
inline void SetField(Record* r, std::string_view field, Value v) {
  for (Value::Member& m : r->fields)
    if (m.name.text() == field) m.value = v;
}

using Is = std::function<bool(const Record&)>;

inline Is DeliverTo(std::string actor, std::string resource, std::string type = "") {
  return [=](const Record& r) {
    return r.kind == sim::EventKind::kDeliver && r.actor == actor &&
           r.Text("resource") == resource && !r.Text("name").empty() &&
           (type.empty() || r.Text("type") == type);
  };
}

inline Is StoreDeliver(std::string prefix) {
  return [=](const Record& r) {
    return r.kind == sim::EventKind::kDeliver && r.Text("server") == "etcd" &&
           r.Text("key").starts_with(prefix);
  };
}

// The index of the n-th record (from 0) that matches; the size if there is none.
inline std::size_t Find(const Trace& t, const Is& is, std::size_t n = 0) {
  for (std::size_t i = 0; i < t.events.size(); ++i)
    if (is(t.events[i]) && n-- == 0) return i;
  return t.events.size();
}

inline Is Handler(std::string informer, std::string type) {
  return [=](const Record& r) {
    return r.kind == sim::EventKind::kHandler && r.Text("informer") == informer &&
           r.Text("type") == type;
  };
}

// The last record that matches.
inline Record* Last(Trace* t, const Is& is) {
  for (std::size_t i = t->events.size(); i-- > 0;)
    if (is(t->events[i])) return &t->events[i];
  ADD_FAILURE() << "no such record";
  return &t->events.back();
}

inline std::set<std::string> Violated(const Trace& t) {
  std::set<std::string> out;
  const auto checker = CheckTrace(t, {"*"});
  if (!checker.ok()) return {"BAD TRACE"};
  for (const Finding& f : (*checker)->findings()) out.insert(f.violation.oracle);
  return out;
}

inline std::string Messages(const Trace& t) {
  std::string out;
  const auto checker = CheckTrace(t, {"*"});
  if (!checker.ok()) return std::string(checker.status().message());
  for (const Finding& f : (*checker)->findings())
    out += f.violation.oracle + ": " + f.violation.message + "\n";
  return out;
}

}  // namespace ksim::check
