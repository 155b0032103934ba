// StatefulSet status: counts, completion, and when it is written. Numbers are those of upstream's
// stateful_set_control_test.go and stateful_set_utils_test.go.
#include "ksim/controllers/statefulset/statefulset_status.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/value/json.h"

namespace ksim::controllers {
namespace {

api::Object StatusObject(const std::string& json) {
  return api::Object::FromTree(*value::ParseJson(json));
}

api::Object PodOf(const std::string& revision, const std::string& phase, bool ready,
                  bool deleting = false) {
  return StatusObject(R"({"metadata":{"labels":{"controller-revision-hash":")" + revision +
                      R"("})" + (deleting ? R"(,"deletionTimestamp":"2024-01-01T00:00:00Z")" : "") +
                      R"(},"status":{)" + (phase.empty() ? "" : R"("phase":")" + phase + R"(",)") +
                      R"("conditions":[{"type":"Ready","status":")" + (ready ? "True" : "False") +
                      R"(","lastTransitionTime":"2024-01-01T00:00:00Z"}]}})");
}

api::Object SetOf(int replicas, const std::string& status = "{}",
                  const std::string& strategy = "RollingUpdate") {
  return StatusObject(R"({"metadata":{"name":"web"},"spec":{"replicas":)" +
                      std::to_string(replicas) + R"(,"updateStrategy":{"type":")" + strategy +
                      R"("}},"status":)" + status + "}");
}

// CTRL-STS-14
TEST(StatefulSetStatus, CountsPodsByWhatTheyAre) {
  StatefulSetStatus status;
  status.current_revision = "a";
  status.update_revision = "b";
  status.Count({PodOf("a", "Running", true), PodOf("b", "Running", false),
                PodOf("b", "Pending", false), PodOf("a", "Failed", false), PodOf("c", "", false),
                PodOf("a", "Running", true, /*deleting=*/true)},
               Duration(), VirtualTime(), ProfileOf(api::Compat::k1_36));
  EXPECT_EQ(status.replicas, 5) << "one is not created";
  EXPECT_EQ(status.ready, 2);
  EXPECT_EQ(status.available, 2);
  EXPECT_EQ(status.current, 2) << "not the one that is being deleted";
  EXPECT_EQ(status.updated, 2);
}

// CTRL-STS-14
TEST(StatefulSetStatus, ARolloutIsCompleteWithAllPodsUpdatedAndReady) {
  const Profile& before = ProfileOf(api::Compat::k1_25);
  const Profile& after = ProfileOf(api::Compat::k1_36);
  const auto complete = [](StatefulSetStatus s, const api::Object& set, const Profile& profile) {
    s.CompleteRollingUpdate(set, profile);
    return s.current_revision == "new";
  };
  StatefulSetStatus done;
  done.replicas = done.ready = done.updated = 3;
  done.current_revision = "old";
  done.update_revision = "new";
  EXPECT_TRUE(complete(done, SetOf(3), after));
  EXPECT_FALSE(complete(done, SetOf(3, "{}", "OnDelete"), after));
  EXPECT_FALSE(complete(done, SetOf(4), after));
  EXPECT_TRUE(complete(done, SetOf(4), before)) << "1.25 does not ask how many there should be";
  StatefulSetStatus unready = done;
  unready.ready = 2;
  EXPECT_FALSE(complete(unready, SetOf(3), after));
  done.CompleteRollingUpdate(SetOf(3), after);
  EXPECT_EQ(done.current, 3);
}

// CTRL-STS-14
TEST(StatefulSetStatus, IsWrittenAsGoWritesIt) {
  StatefulSetStatus status;
  status.replicas = 2;
  status.observed_generation = 1;
  status.update_revision = status.current_revision = "web-1";
  EXPECT_EQ(value::ToJson(status.ToTree()),
            R"({"availableReplicas":0,"collisionCount":0,"currentRevision":"web-1",)"
            R"("observedGeneration":1,"replicas":2,"updateRevision":"web-1"})");
}

// CTRL-STS-14: a collision count alone, or an older generation, is not worth a write.
TEST(StatefulSetStatus, IsWrittenWhereItDiffers) {
  const api::Object set = SetOf(3, R"({"replicas":2,"observedGeneration":4})");
  const auto differs = [&set](auto change) {
    StatefulSetStatus status = StatefulSetStatus::From(set);
    change(&status);
    return status.DiffersFrom(set);
  };
  EXPECT_FALSE(differs([](StatefulSetStatus*) {}));
  EXPECT_FALSE(differs([](StatefulSetStatus* s) { s->observed_generation = 3; }));
  EXPECT_FALSE(differs([](StatefulSetStatus* s) { s->collisions = 3; }));
  EXPECT_TRUE(differs([](StatefulSetStatus* s) { s->observed_generation = 5; }));
  EXPECT_TRUE(differs([](StatefulSetStatus* s) { s->replicas = 3; }));
  EXPECT_TRUE(differs([](StatefulSetStatus* s) { s->ready = 3; }));
  EXPECT_TRUE(differs([](StatefulSetStatus* s) { s->available = 3; }));
  EXPECT_TRUE(differs([](StatefulSetStatus* s) { s->current = 3; }));
  EXPECT_TRUE(differs([](StatefulSetStatus* s) { s->updated = 3; }));
  EXPECT_TRUE(differs([](StatefulSetStatus* s) { s->current_revision = "x"; }));
  EXPECT_TRUE(differs([](StatefulSetStatus* s) { s->update_revision = "x"; }));
}

}  // namespace
}  // namespace ksim::controllers
