// The fields that triggers may name are those that the events of traces have.
#include "ksim/scenario/trigger_fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ksim/scenario/runner.h"
#include "ksim/trace/schema.h"
#include "ksim/value/json.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

using Holds = TriggerField::Holds;

bool Fits(const TriggerField& about, const value::Value& v) {
  if (about.holds == Holds::kNumber) return v.is_int();
  if (about.holds == Holds::kFlag) return v.is_bool();
  if (about.holds == Holds::kText) return !v.is_int() && !v.is_bool();
  if (!v.is_string()) return false;
  const std::vector<std::string_view>& words = about.words;
  return about.holds == Holds::kResource ||
         std::find(words.begin(), words.end(), v.AsString()) != words.end();
}

// Runs it, and notes the kinds of its events.
void ExpectFits(const std::string& path, std::set<std::string_view>* seen) {
  const Loaded loaded = Load({path}, LoadOptions());
  ASSERT_EQ(Render(loaded.errors, false), "");
  Runner runner(loaded.scenarios[0], RunnerOptions());
  runner.Run();
  for (const sim::Event& e : runner.events()) {
    const trace::Record r = trace::Render(e, trace::RenderOptions());
    seen->insert(trace::KindName(e.kind));
    for (std::string_view field : trace::FieldsOf(e.kind)) {
      const value::Value& v = r.Get(field);
      if (v.is_null()) continue;
      ASSERT_TRUE(Fits(TriggerFieldOf(e.kind, field), v))
          << path << ": " << trace::KindName(e.kind) << "." << field << " is " << value::ToJson(v);
    }
  }
}

TEST(TriggerFields, AreWhatTracesHold) {
  std::set<std::string_view> seen;
  for (const char* path :
       {"scenarios/kubectl.yaml", "scenarios/watch-expired-relist.yaml",
        "scenarios/controller-restart.yaml", "tests/regress/standby-leads.yaml",
        "tests/regress/webhook-of-nobody.yaml", "scenarios/museum/b12-store-compact-on-delete.yaml",
        "scenarios/wrong/forget.yaml"})
    ExpectFits(path, &seen);
  seen.insert("input");  // only of a cluster that is served
  seen.insert("log");    // only of one with guests
  for (std::string_view kind : trace::KindNames()) EXPECT_EQ(seen.count(kind), 1u) << kind;
}

}  // namespace
}  // namespace ksim::scenario
