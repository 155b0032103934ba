// POST pods/eviction in all versions: its reads, the mark, the deletion and the refusals.
#include <gtest/gtest.h>

#include "ksim/api/conditions.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using value::Path;
using value::Value;

class Eviction : public ::testing::TestWithParam<Compat> {
 protected:
  Eviction() : world(WorldOptions(GetParam())) {}
  // A pod on a node in this phase.
  static void MakePod(World& w, std::string_view phase) {
    ASSERT_EQ(w.Create("pods", "default", Pod("default", "p")).code, 201);
    ASSERT_EQ(w.Bind("default", "p", "n1").code, 201);
    w.Patch("pods", "default", "p", api::PatchType::kMerge,
            R"({"status":{"phase":")" + std::string(phase) + R"("}})", "status");
    w.Advance(Seconds(1));
  }
  static api::Request Evict(const World& w, std::string_view options = "{}",
                            std::string_view name = "p") {
    api::Request r = w.Request(api::Verb::kCreate, "pods", "default", "p");
    r.subresource = "eviction";
    r.body = Json(R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":")" +
                  std::string(name) + R"("},"deleteOptions":)" + std::string(options) + "}");
    return r;
  }
  api::Object ThePod() { return world.Get("pods", "default", "p").object; }
  World world;
};
INSTANTIATE_TEST_SUITE_P(Profiles, Eviction,
                         ::testing::Values(Compat::k1_25, Compat::k1_30, Compat::k1_36));

// CTRL-PDB-03: the eviction writes the condition DisruptionTarget from 1.26 on.
TEST_P(Eviction, MarksAndDeletes) {
  MakePod(world, "Running");
  EXPECT_EQ(world.Do(Evict(world)).code, 201);
  const api::Object pod = ThePod();
  EXPECT_TRUE(pod.deleting());
  const Value* mark = api::FindCondition(pod.status().Get("conditions"), "DisruptionTarget");
  ASSERT_EQ(mark != nullptr, GetParam() > Compat::k1_25);
  if (mark == nullptr) return;
  EXPECT_EQ(mark->Get("reason").AsString(), "EvictionByEvictionAPI");
  EXPECT_EQ(mark->Get("message").AsString(), "Eviction API: evicting");
}

// CTRL-PDB-03: no budget guards a pending pod. A pod that changed since it was read may be ready
// already, so the server reads it again half a second later; it deletes the others at once.
TEST_P(Eviction, APendingPodThatChangesMeanwhileIsReadAgain) {
  for (const char* phase : {"Pending", "Running"}) {
    int again = 0;
    for (int i = 0; i < 30; ++i) {
      World w{WorldOptions(GetParam())};
      MakePod(w, phase);
      const VirtualTime before = w.sim.now();
      const auto answer = w.Start(Evict(w));
      w.Advance(Microseconds(100 * i));
      api::Request patch = w.Request(api::Verb::kPatch, "pods", "default", "p");
      patch.patch_type = api::PatchType::kMerge;
      patch.body = Json(R"({"metadata":{"labels":{"a":"b"}}})");
      w.Do(patch);
      w.RunUntil([&] { return World::Answered(answer); });
      EXPECT_EQ(answer->code, 201) << answer->status.message;
      const Duration took = w.sim.now() - before;
      EXPECT_LT(took, Milliseconds(600));
      if (took >= Milliseconds(500)) ++again;
      EXPECT_TRUE(w.Get("pods", "default", "p").object.deleting());
    }
    EXPECT_EQ(again > 0, std::string_view(phase) == "Pending") << phase;
  }
}

// CTRL-PDB-03: a client may ask for a dry run in the body alone, as kubectl drain does.
TEST_P(Eviction, ADryRunInTheBodyCounts) {
  MakePod(world, "Running");
  const std::int64_t before = world.revision();
  EXPECT_EQ(world.Do(Evict(world, R"({"dryRun":["All"]})")).code, 201);
  EXPECT_EQ(world.revision(), before);
}

// CTRL-PDB-03
TEST_P(Eviction, RefusesWhatADeleteWouldRefuse) {
  MakePod(world, "Running");
  const std::string uid(ThePod().uid());
  api::Response r = world.Do(Evict(world, R"({"propagationPolicy":"Sideways"})"));
  EXPECT_EQ(r.code, 422);
  EXPECT_FALSE(ThePod().deleting());
  r = world.Do(Evict(world, R"({"preconditions":{"uid":"other"}})"));
  EXPECT_EQ(r.code, 409);
  EXPECT_EQ(r.status.message,
            "Operation cannot be fulfilled on Pod \"p\": the UID in the precondition (other) does "
            "not match the UID in record (" +
                uid + "). The object might have been deleted and then recreated");
  EXPECT_EQ(world.Do(Evict(world, "{}", "q")).code, 400);
  EXPECT_EQ(world.Do(Evict(world, "{}", "")).code, 400) << "a name that is missing is another one";
  EXPECT_FALSE(ThePod().deleting());
}

}  // namespace
}  // namespace ksim::apiserver
