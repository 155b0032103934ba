// jobCount: what upstream does is no violation, and each mutant is one.
#include <gtest/gtest.h>

#include "recorded.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

bool CountsTwice(const Trace& t) { return Violated(t).contains("jobCount"); }

// Changes the leaves of the Job's commits.
void EditJob(Trace* t, const std::function<Value(const std::string&, const Value&)>& edit) {
  for (Record& r : t->events) {
    if (r.kind != Kind::kCommit || r.Text("resource") != "jobs") continue;
    std::vector<Value> leaves;
    for (const Value& leaf : r.Get("changed").items()) {
      const Value edited = edit(std::string(leaf.Get("path").AsString()), leaf);
      if (!edited.is_null()) leaves.push_back(edited);
    }
    SetField(&r, "changed", Value::Array(std::move(leaves)));
  }
}

TEST(JobCount, AJobThatFailsTwiceCountsThree) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    const Trace t = Recorded("job-fails-twice", compat);
    EXPECT_FALSE(CountsTwice(t)) << compat << Messages(t);
  }
}

TEST(JobCount, ACounterThatIsTooHighIsFound) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    Trace t = Recorded("job-fails-twice", compat);
    EditJob(&t, [](const std::string& path, const Value& leaf) {
      return path == "status.succeeded" ? leaf.Set("new", Value::Of(2)) : leaf;
    });
    EXPECT_TRUE(CountsTwice(t)) << compat << Messages(t);
  }
}

// A pod stays in the list of those that are uncounted, though the counter has it.
TEST(JobCount, APodThatStaysUncountedIsFound) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    Trace t = Recorded("job-fails-twice", compat);
    EditJob(&t, [](const std::string& path, const Value& leaf) {
      const bool leaves =
          path.starts_with("status.uncountedTerminatedPods.succeeded") && leaf.Get("new").is_null();
      return leaves ? Value() : leaf;
    });
    EXPECT_TRUE(CountsTwice(t)) << compat << Messages(t);
  }
}

}  // namespace
}  // namespace ksim::check
