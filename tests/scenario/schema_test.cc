#include "ksim/scenario/schema.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "ksim/scenario/mapping_reader.h"
#include "ksim/scenario/scenario.h"
#include "ksim/trace/schema.h"

namespace ksim::scenario {
namespace {

TEST(Schema, EveryFieldIsExplainedOnce) {
  std::set<const Type*> seen;
  std::function<void(const Type&)> walk = [&](const Type& type) {
    if (!seen.insert(&type).second) return;
    EXPECT_FALSE(type.text.empty()) << type.name;
    std::set<std::string_view> names;
    for (const Field& f : type.fields) {
      EXPECT_TRUE(names.insert(f.name).second) << type.name << "." << f.name;
      EXPECT_FALSE(f.text.empty()) << type.name << "." << f.name;
      EXPECT_FALSE(f.type.empty()) << type.name << "." << f.name;
      if (f.of != nullptr) walk(*f.of);
    }
  };
  walk(ScenarioType());
  EXPECT_GT(seen.size(), 40u);
}

TEST(Schema, StepsAreThoseOfTheContract) {
  const std::vector<std::string_view> names = StepType().names();
  EXPECT_EQ(std::vector<std::string_view>(names.begin() + 3, names.end()),
            (std::vector<std::string_view>{
                "create",   "apply",  "replace",   "patch",     "delete",  "scale",     "label",
                "annotate", "cordon", "uncordon",  "drain",     "evict",   "wait",      "rollout",
                "setImage", "expose", "autoscale", "createJob", "addNode", "removeNode"}));
  EXPECT_EQ(ToString(StepKind::kCreate), "create");
  EXPECT_EQ(ToString(StepKind::kRemoveNode), "removeNode");
}

TEST(Schema, FaultsAreThoseOfTheContract) {
  for (std::string_view verb :
       {"dropWatch",  "delayStream", "holdStream", "releaseStream", "stallHandler", "expire",
        "compact",    "freezeCache", "thawCache",  "reinitCache",   "restart",      "crash",
        "failover",   "connect",     "pause",      "resume",        "rejectWrite",  "timeoutWrite",
        "nodeSilent", "serverDown",  "partition",  "skewClock"})
    EXPECT_NE(FaultType().Find(verb), nullptr) << verb;
  for (std::string_view more : {"nodeTrouble", "rival", "watchError", "rejectRead", "slowHandler",
                                "slowWebhook", "dropBookmark"})
    EXPECT_NE(FaultType().Find(more), nullptr) << more;
  EXPECT_EQ(FaultType().fields.size(), 31u);
}

TEST(Schema, TriggerFieldsAreFieldsOfTraceEvents) {
  std::set<std::string_view> known{"event", "count", "actor"};
  for (std::string_view kind : trace::KindNames())
    for (std::string_view field : trace::FieldsOf(*trace::ParseKind(kind))) known.insert(field);
  for (const Field& f : TriggerType().fields) EXPECT_EQ(known.count(f.name), 1u) << f.name;
}

TEST(Reader, CountsTakeLetters) {
  struct Case {
    std::string_view text;
    std::optional<std::int64_t> count;
  };
  const Case cases[] = {{"7", 7},
                        {"100k", 100'000},
                        {"20M", 20'000'000},
                        {"3G", 3'000'000'000},
                        {"", std::nullopt},
                        {"k", std::nullopt},
                        {"-1", std::nullopt},
                        {"1.5M", std::nullopt},
                        {"1K", std::nullopt},
                        {"9999999999999999k", std::nullopt}};
  for (const Case& c : cases) EXPECT_EQ(ParseCount(c.text), c.count) << c.text;
}

}  // namespace
}  // namespace ksim::scenario
