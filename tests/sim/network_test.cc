#include "ksim/sim/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ksim/sim/decisions.h"
#include "ksim/sim/simulation.h"

namespace ksim::sim {
namespace {

constexpr std::string_view kFrom = "kube-apiserver-0", kTo = "kube-scheduler";

SimulationOptions WithOverrides(std::vector<Override> overrides) {
  SimulationOptions options;
  options.overrides = std::move(overrides);
  return options;
}

TEST(Channel, TakesTheDrawnLatency) {
  Simulation sim{SimulationOptions()};
  Network network(sim, LatencyRange());
  Channel channel(network, kFrom, kTo, "pods", Channel::Order::kUnordered);
  std::vector<VirtualTime> got;
  for (std::uint64_t key = 0; key < 50; ++key) channel.Send(key, [&] { got.push_back(sim.now()); });
  sim.RunUntil(VirtualTime() + Seconds(1));
  // The oracle makes the same draws from fresh decisions.
  Decisions fresh(1, {}, nullptr);
  const SiteId site = fresh.Site("latency/kube-apiserver-0/kube-scheduler/pods");
  std::vector<VirtualTime> want;
  for (std::uint64_t key = 0; key < 50; ++key)
    want.push_back(VirtualTime() +
                   fresh.DrawDuration(site, key, Microseconds(200), Milliseconds(2)));
  std::sort(want.begin(), want.end());
  EXPECT_EQ(got, want);
  EXPECT_EQ(sim.decisions().asked(), 100u);  // a draw and a choice each
}

TEST(Channel, TakesNothingWhenTheRunIsOver) {
  Simulation sim{SimulationOptions()};
  Network network(sim, LatencyRange());
  Channel channel(network, kFrom, kTo, "pods", Channel::Order::kUnordered);
  sim.Shutdown();
  channel.Send(1, [] { ADD_FAILURE() << "arrived"; });
  EXPECT_EQ(sim.decisions().asked(), 0u);
}

std::string Arrivals(Channel::Order order, std::vector<Override> overrides) {
  Simulation sim{WithOverrides(std::move(overrides))};
  Network network(sim, {Milliseconds(1), Milliseconds(1)});
  Channel channel(network, kFrom, kTo, "pods", order);
  std::string log;
  for (std::uint64_t key = 1; key <= 3; ++key)
    channel.Send(
        key, [&sim, &log, key] { log += std::to_string(key) + "@" + FormatTime(sim.now()) + " "; });
  sim.RunUntil(VirtualTime() + Hours(1));
  EXPECT_TRUE(sim.decisions().unapplied().empty());
  return log;
}

TEST(Channel, ChosenDelayComesOnTop) {
  const std::vector<Override> second_late = {{"delay/kube-apiserver-0/kube-scheduler/pods", 2, 2}};
  EXPECT_EQ(Arrivals(Channel::Order::kUnordered, second_late), "1@+0.001s 3@+0.001s 2@+1.001s ");
  EXPECT_EQ(Arrivals(Channel::Order::kOrdered, second_late), "1@+0.001s 2@+1.001s 3@+1.001s ");
}

TEST(Channel, EveryExtraDelayCanBeChosen) {
  for (std::uint32_t answer = 1; answer < kExtraDelays.size(); ++answer) {
    const std::string log = Arrivals(Channel::Order::kUnordered,
                                     {{"delay/kube-apiserver-0/kube-scheduler/pods", 1, answer}});
    const VirtualTime want = VirtualTime() + Milliseconds(1) + kExtraDelays[answer];
    EXPECT_TRUE(log.ends_with("1@" + FormatTime(want) + " ")) << log;
  }
}

// A run waits for a late message, also for one of the background unless it is marked as unawaited.
TEST(Channel, LateMessageKeepsTheRunBusy) {
  struct Row {
    bool background, unawaited, waits;
  };
  const Row rows[] = {
      {false, false, true}, {false, true, true}, {true, false, true}, {true, true, false}};
  for (const Row& row : rows) {
    Simulation sim{WithOverrides({{"delay/kube-apiserver-0/kube-scheduler/leases", 1, 5}})};
    Network network(sim, LatencyRange());
    Channel channel(network, kFrom, kTo, "leases", Channel::Order::kUnordered);
    bool arrived = false;
    sim.context().background = row.background;
    sim.context().unawaited = row.unawaited;
    channel.Send(1, [&] { arrived = true; });
    Simulation::Limits limits;
    limits.time = VirtualTime() + Hours(1);
    EXPECT_EQ(sim.RunUntilQuiet(Seconds(2), limits), Simulation::Stop::kQuiescent);
    EXPECT_EQ(arrived, row.waits) << row.background << row.unawaited;
    sim.RunUntil(VirtualTime() + Minutes(6));
    EXPECT_TRUE(arrived);
  }
}

TEST(Channel, OrderedKeepsOrderUnderRandomLatency) {
  Simulation sim{SimulationOptions()};
  Network network(sim, LatencyRange());
  Channel channel(network, kFrom, kTo, "pods", Channel::Order::kOrdered);
  std::vector<std::uint64_t> got, want;
  for (std::uint64_t key = 0; key < 200; ++key) {
    channel.Send(key, [&got, key] { got.push_back(key); });
    want.push_back(key);
  }
  sim.RunUntil(VirtualTime() + Seconds(1));
  EXPECT_EQ(got, want);
}

TEST(Channel, DeliversInTheSendersContext) {
  Simulation sim{SimulationOptions()};
  Network network(sim, LatencyRange());
  Channel channel(network, kFrom, kTo, "leases", Channel::Order::kUnordered);
  sim.context().cause = 12;
  sim.context().background = true;
  bool delivered = false;
  channel.Send(1, [&] {
    delivered = true;
    EXPECT_EQ(sim.context().cause, 12u);
    EXPECT_TRUE(sim.context().background);
  });
  EXPECT_EQ(sim.pending_work(), 0u);
  sim.context().background = false;
  channel.Send(2, [] {});
  EXPECT_EQ(sim.pending_work(), 1u);  // a message in flight is work
  sim.RunUntil(VirtualTime() + Seconds(1));
  EXPECT_TRUE(delivered);
}

}  // namespace
}  // namespace ksim::sim
