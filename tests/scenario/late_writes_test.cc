#include "ksim/scenario/observers/late_writes.h"

#include <gtest/gtest.h>

#include "ksim/client/core/payloads.h"
#include "ksim/sim/simulation.h"
#include "ksim/store/events.h"

namespace ksim::scenario {
namespace {

// A user's requests, their results, and the commits that they caused.
class LateWritesTest : public testing::Test {
 protected:
  void Answered(const char* actor, std::uint64_t request, bool lost) {
    auto* response = new client::ResponsePayload;
    response->id = request;
    response->lost = lost;
    sim_.EmitAs(sim::ActorId::Of(actor), 0, sim::EventInfo{sim::EventKind::kResponse},
                sim::PayloadRef(response));
  }
  void Committed(std::uint64_t request) {
    const store::KeyValue gone =
        store::KeyValue::Tombstone(store::Key("/registry/pods/default/web"), 9, 0);
    const store::WriteOrigin origin(sim::ActorId::Of("kubectl"), request);
    sim_.EmitAs(sim::ActorId::Of("etcd"), 0, sim::EventInfo{sim::EventKind::kCommit},
                sim::MakePayload<store::CommitPayload>(gone, store::KeyValue(), origin));
  }

  sim::Simulation sim_{sim::SimulationOptions()};
  LateWrites late_{sim_.bus(), sim::ActorId::Of("kubectl")};
};

TEST_F(LateWritesTest, AWriteThatWasGivenUpAndCameTrue) {
  Answered("kubectl", 7, true);
  Committed(8);
  EXPECT_FALSE(late_.any());
  Committed(7);
  EXPECT_TRUE(late_.any());
}

TEST_F(LateWritesTest, NotOneWhoseAnswerWasLostOnTheWayBack) {
  Committed(7);
  Answered("kubectl", 7, true);
  EXPECT_FALSE(late_.any());
}

TEST_F(LateWritesTest, NotAControllersOne) {
  Answered("kube-controller-manager/replicaset", 7, true);
  Committed(7);
  EXPECT_FALSE(late_.any());
}

}  // namespace
}  // namespace ksim::scenario
