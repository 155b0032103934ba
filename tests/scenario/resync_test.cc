// The resync periods of the components' informers.
#include <gtest/gtest.h>

#include <algorithm>

#include "ksim/client/controller_builder.h"
#include "ksim/client/core/payloads.h"
#include "ksim/scenario/runner.h"
#include "ksim/trace/events.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

// The times at which a process' handlers got an update of an unchanged pod.
std::vector<VirtualTime> Resyncs(const Runner& runner, std::string_view process) {
  std::vector<VirtualTime> out;
  for (const sim::Event& e : runner.events()) {
    if (e.kind != sim::EventKind::kHandler) continue;
    const auto& call = e.payload.As<client::HandlerPayload>();
    const bool same = call.type == client::HandlerCall::kUpdate &&
                      call.object.resource_version() == call.old_object.resource_version();
    if (same && call.informer.starts_with(process)) out.push_back(e.time);
  }
  return out;
}

// CTRL-C-11
TEST(Resync, IsOnceInTwelveToTwentyFourHoursAndOfTheControllerManagerOnly) {
  std::vector<VirtualTime> firsts;
  for (const char* seed : {"1", "2"}) {
    const std::string spec = std::string("  seed: ") + seed +
                             "\n  until: 24h\n  limit: {time: 30h, events: 10M}\n"
                             "  cluster: {nodes: 1, controllers: [replicaset]}\n  steps:\n"
                             "  - {create: {object: {apiVersion: v1, kind: Pod, "
                             "metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}}}\n";
    Runner runner(Only(LoadSpec(spec)), RunnerOptions());
    runner.Run();
    const std::vector<VirtualTime> resyncs = Resyncs(runner, "kube-controller-manager");
    ASSERT_FALSE(resyncs.empty());
    EXPECT_GE(resyncs.front() - VirtualTime(), Hours(12));
    EXPECT_TRUE(Resyncs(runner, "kube-scheduler").empty());
    EXPECT_TRUE(Resyncs(runner, "kubelet/").empty());
    firsts.push_back(resyncs.front());
  }
  EXPECT_GT(std::max(firsts[0], firsts[1]) - std::min(firsts[0], firsts[1]), Minutes(1)) << "drawn";
}

// A controller that watches pods and nodes and changes none.
class Watching : public controllers::Controller, public client::Reconciler {
 public:
  explicit Watching(controllers::ControllerContext context) : context_(std::move(context)) {}
  void Start() override {
    const api::ResourceInfo* pods = context_.Resource("", "pods");
    built_ = client::ControllerBuilder(context_.connection, context_.informers, context_.name)
                 .For(pods)
                 .Watches(context_.Resource("", "nodes"),
                          [](const api::Object&) { return std::vector<std::string>(); })
                 .Build(*this);
  }
  sim::Task<client::ReconcileResult> Reconcile(std::string) override {
    co_return client::ReconcileResult::Done();
  }

 private:
  controllers::ControllerContext context_;
  std::unique_ptr<client::BuiltController> built_;
};

RunnerOptions WithWatching() {
  RunnerOptions options;
  PluggedController plugged;
  plugged.name = "watching";
  plugged.factory = [](controllers::ControllerContext context) {
    return std::make_unique<Watching>(std::move(context));
  };
  options.world.controllers.push_back(std::move(plugged));
  return options;
}

// CLIENT-104
TEST(Resync, OfAPluggedControllerIsOnceInTenHoursOrSoOfEachInformer) {
  Runner runner(
      Only(LoadSpec("  until: 12h\n  limit: {time: 30h, events: 10M}\n"
                    "  cluster: {nodes: 1, controllers: [replicaset]}\n  steps:\n"
                    "  - {create: {object: {apiVersion: v1, kind: Pod, "
                    "metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}}}\n")),
      WithWatching());
  runner.Run();
  std::vector<VirtualTime> firsts;
  for (const char* informer : {"watching pods", "watching nodes"}) {
    const std::vector<VirtualTime> resyncs = Resyncs(runner, informer);
    ASSERT_FALSE(resyncs.empty()) << informer;
    EXPECT_GE(resyncs.front() - VirtualTime(), Hours(9)) << informer;
    EXPECT_LT(resyncs.front() - VirtualTime(), Hours(11) + Minutes(1)) << informer;
    firsts.push_back(resyncs.front());
  }
  EXPECT_GT(std::max(firsts[0], firsts[1]) - std::min(firsts[0], firsts[1]), Minutes(1)) << "drawn";
}

// CLIENT-133
TEST(CacheSync, APluggedControllerThatCannotListForTwoMinutesIsStartedAgain) {
  RunnerOptions options = WithWatching();
  PluggedController& plugged = options.world.controllers.front();
  // The process dies once, while its server is down.
  plugged.factory = [inner = plugged.factory](controllers::ControllerContext context) {
    sim::Simulation& sim = context.env().sim;
    sim::Process& process = context.process;
    if (process.incarnation() == 1) {
      sim.After(Seconds(30), sim::TimerKind::kPeriodic, "test", [&process] { process.Kill(); });
      sim.After(Seconds(31), sim::TimerKind::kPeriodic, "test", [&process] { process.Start(); });
    }
    return inner(std::move(context));
  };
  Runner runner(Only(LoadSpec("  until: 6m\n  cluster: {nodes: 1}\n  faults:\n"
                              "  - {at: 1s, serverDown: {server: kube-apiserver-0, for: 5m}}\n")),
                std::move(options));
  runner.Run();
  std::vector<std::string> states;
  std::vector<VirtualTime> times;
  for (const sim::Event& e : runner.events()) {
    if (e.kind != sim::EventKind::kActor) continue;
    const auto& actor = e.payload.As<trace::ActorPayload>();
    if (actor.process != "watching") continue;
    states.push_back(actor.state);
    times.push_back(e.time);
  }
  ASSERT_EQ(states, (std::vector<std::string>{"start", "start", "stop", "start", "stop", "start"}));
  EXPECT_EQ(times[2] - times[1], Minutes(2));
  EXPECT_GE(times[3] - times[2], Seconds(1));
  EXPECT_LT(times[3] - times[2], Seconds(2));
  EXPECT_EQ(times[4] - times[3], Minutes(2));
}

}  // namespace
}  // namespace ksim::scenario
