// The components' client-side rate limits: a burst, then a rate per second.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ksim/client/core/payloads.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

// The times at which the actor sent its creations of this subresource of pods.
std::vector<VirtualTime> Creations(const ActorWorld& w, std::string_view subresource) {
  std::vector<VirtualTime> times;
  for (const sim::Event& e : w.events()) {
    if (e.kind != sim::EventKind::kRequest) continue;
    const api::Request& r = e.payload.As<client::RequestPayload>().request;
    if (r.verb != api::Verb::kCreate || r.resource->resource != "pods") continue;
    if (r.client != "test" && r.subresource == subresource) times.push_back(e.time);
  }
  return times;
}

// The ReplicaSet controller makes 70 pods.
void FillWeb(ActorWorld& w) {
  w.StartReplicaSets();
  w.Settle();
  w.Create("replicasets", ReplicaSetJson("web", 70));
  w.Advance(Seconds(10));
}

// CTRL-C-10: 30 at once, then 20 a second.
TEST(ClientLimits, ReplicaSetsAreFilledNoFasterThanTheControllerManagerMayAsk) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    FillWeb(w);
    const std::vector<VirtualTime> times = Creations(w, "");
    ASSERT_EQ(times.size(), 70u);
    const VirtualTime early = times.front() + Milliseconds(200);
    const auto burst =
        std::count_if(times.begin(), times.end(), [&](VirtualTime t) { return t < early; });
    EXPECT_GE(burst, 25);
    EXPECT_LE(burst, 35);
    EXPECT_GE(times.back() - times.front(), Milliseconds(1900)) << "40 more at 20 a second";
    EXPECT_LE(times.back() - times.front(), Milliseconds(3500));
  }
}

// CTRL-C-10: a controller sends its Events through its own clientset, so they count against its
// limit.
TEST(ClientLimits, TheEventsOfAControllerTakeOfItsTokens) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    FillWeb(w);
    std::vector<VirtualTime> times;
    std::size_t events = 0;
    for (const sim::Event& e : w.events()) {
      if (e.kind != sim::EventKind::kRequest) continue;
      const api::Request& r = e.payload.As<client::RequestPayload>().request;
      const bool read = r.verb == api::Verb::kWatch || r.verb == api::Verb::kList;
      if (r.client == "test" || read) continue;  // informers have a client of their own
      times.push_back(e.time);
      events += r.resource->resource == "events";
    }
    EXPECT_EQ(events, 25u) << "as many as the spam filter lets through";
    ASSERT_GE(times.size(), 70 + events);
    for (std::size_t i = 31; i < times.size(); ++i)
      EXPECT_GE(times[i] - times[0], Milliseconds(50) * static_cast<std::int64_t>(i - 30)) << i;
  }
}

// CTRL-C-10: 100 at once, then 50 a second.
TEST(ClientLimits, PodsAreBoundNoFasterThanTheSchedulerMayAsk) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    for (const char* node : {"n1", "n2"}) w.AddNode(node);
    for (int i = 0; i < 200; ++i) w.Create("pods", PodJson("p" + std::to_string(i)));
    w.StartScheduler();
    w.Advance(Seconds(10));
    const std::vector<VirtualTime> times = Creations(w, "binding");
    ASSERT_EQ(times.size(), 200u);
    EXPECT_LT(times[80] - times[0], Milliseconds(200));
    EXPECT_GE(times.back() - times.front(), Milliseconds(1900)) << "100 more at 50 a second";
    EXPECT_LE(times.back() - times.front(), Milliseconds(3000));
  }
}

}  // namespace
}  // namespace ksim
