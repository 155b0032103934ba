// How often the informers of a cluster's components tell of every object again.
#include <gtest/gtest.h>

#include <algorithm>

#include "ksim/client/events.h"
#include "ksim/scenario/runner.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

// When a process' handlers were told of a pod without a change.
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
                             "  cluster: {nodes: 1}\n  steps:\n"
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

}  // namespace
}  // namespace ksim::scenario
