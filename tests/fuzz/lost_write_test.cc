#include "ksim/fuzz/lost_write.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ksim/trace/trace.h"

namespace ksim::fuzz {
namespace {

using sim::EventKind;
using value::Value;

constexpr bool kStored = true, kFails = false;

struct Write {
  std::string actor, verb, object;  // pods/web-1; pods/ where the server makes the name
  bool stored = false;
};

trace::Record& Add(trace::Trace* trace, const std::string& actor, EventKind kind) {
  trace::Record r;
  r.seq = trace->events.size() + 1;
  r.actor = actor;
  r.kind = kind;
  trace->events.push_back(r);
  return trace->events.back();
}

trace::Trace RunOf(const std::vector<Write>& writes) {
  trace::Trace trace;
  std::int64_t id = 0;
  for (const Write& write : writes) {
    const std::size_t slash = write.object.find('/');
    Add(&trace, write.actor, EventKind::kRequest)
        .Add("id", Value::Of(++id))
        .Add("verb", Value::Of(write.verb))
        .Add("resource", Value::Of(write.object.substr(0, slash)))
        .Add("namespace", Value::Of("default"))
        .Add("name", Value::Of(write.object.substr(slash + 1)));
    if (write.stored) Add(&trace, "etcd", EventKind::kCommit).Add("request", Value::Of(id));
    Add(&trace, write.actor, EventKind::kResponse)
        .Add("id", Value::Of(id))
        .Add("code", Value::Of(write.stored ? 200 : 500));
  }
  return trace;
}

// The object of the lost write; "" if there is none.
std::string Lost(const std::vector<Write>& failing, const std::vector<Write>& passing) {
  const trace::Trace trace = RunOf(failing);
  const std::optional<std::size_t> at = FindLostWrite(trace, RunOf(passing));
  if (!at) return "";
  const trace::Record& r = trace.events[*at];
  EXPECT_EQ(r.kind, EventKind::kRequest);
  return std::string(r.Text("resource")) + "/" + std::string(r.Text("name"));
}

const std::string kSets = "kcm/replicaset";

TEST(LostWrite, IsTheFirstThatFailsForGood) {
  const Write web{kSets, "update", "replicasets/web", kStored};
  const std::vector<Write> failing = {
      web, {kSets, "update", "replicasets/db", kFails}, {kSets, "delete", "pods/web-1", kFails}};
  const std::vector<Write> passing = {
      web, {kSets, "update", "replicasets/db", kStored}, {kSets, "delete", "pods/web-1", kStored}};
  EXPECT_EQ(Lost(failing, passing), "replicasets/db");
  EXPECT_EQ(Lost(passing, failing), "");
  EXPECT_EQ(Lost(failing, failing), "") << "neither stores it";
}

TEST(LostWrite, IsNoneThatIsDoneAgain) {
  const Write done{kSets, "delete", "pods/web-1", kStored};
  const Write fails{kSets, "delete", "pods/web-1", kFails};
  EXPECT_EQ(Lost({fails, done}, {done, done}), "");
  EXPECT_EQ(Lost({fails, {"kcm/gc", "delete", "pods/web-1", kStored}}, {done}), "pods/web-1");
  EXPECT_EQ(Lost({fails, {kSets, "update", "pods/web-1", kStored}}, {done}), "pods/web-1");
  EXPECT_EQ(Lost({fails, {kSets, "delete", "pods/web-2", kStored}}, {done}), "pods/web-1");
}

// The server makes the names: of three pods two were stored.
TEST(LostWrite, OfCreationsTheNumberCounts) {
  const Write done{kSets, "create", "pods/", kStored}, fails{kSets, "create", "pods/", kFails};
  EXPECT_EQ(Lost({done, fails, done}, {done, done, done}), "pods/");
  EXPECT_EQ(Lost({done, fails, done}, {done, done}), "");
}

TEST(LostWrite, IsNoReadAndNoUsers) {
  const auto lost = [](const std::string& actor, const std::string& verb,
                       const std::string& object) {
    return !Lost({{actor, verb, object, kFails}}, {{actor, verb, object, kStored}}).empty();
  };
  EXPECT_TRUE(lost(kSets, "update", "replicasets/web"));
  EXPECT_FALSE(lost(kSets, "get", "replicasets/web"));
  EXPECT_FALSE(lost("kubectl", "update", "replicasets/web"));
  EXPECT_FALSE(lost(kSets, "update", "leases/web"));
  EXPECT_FALSE(lost(kSets, "create", "events/web"));
}

}  // namespace
}  // namespace ksim::fuzz
