// Steps that wait, as `kubectl wait` does: what a run tells of them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/scenario/runner.h"
#include "ksim/trace/trace.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

using sim::EventKind;
using Lines = std::vector<std::string>;

struct Told {
  std::string result;
  std::int64_t seconds = 0;  // how long the step took
};

// The results of the waits of a spec.
std::vector<Told> Waits(const std::string& compat, const std::string& steps) {
  Runner runner(FromSpec("  compat: \"" + compat + "\"\n  steps:\n" + steps), RunnerOptions());
  runner.Run();
  std::vector<Told> out;
  std::int64_t begun = 0;
  for (const trace::Record& e : runner.MakeTrace(trace::RenderOptions()).events) {
    if (e.kind != EventKind::kStep || e.Text("verb") != "wait") continue;
    if (e.Text("state") == "begin") begun = e.t;
    if (e.Text("state") == "end")
      out.push_back({std::string(e.Text("result")), (e.t - begun) / 1'000'000'000});
  }
  return out;
}

Lines Results(const std::string& compat, const std::string& steps) {
  Lines out;
  for (const Told& told : Waits(compat, steps)) out.push_back(told.result);
  return out;
}

std::string CreatePod(const std::string& at, const std::string& name) {
  return "  - {at: " + at +
         ", create: {object: {apiVersion: v1, kind: Pod, metadata: {name: " + name +
         ", labels: {app: w}}, spec: {containers: [{name: c, image: i}]}}}}\n";
}

TEST(WaitSteps, WaitForTheCreation) {
  const std::string steps =
      "  - {at: 0s, wait: {resource: pods/a, for: create, timeout: 1m}}\n"
      "  - {wait: {resource: pods, selector: app=w, for: [condition=Ready, create]}}\n"
      "  - {wait: {resource: pods/never, for: create, timeout: 3s}}\n"
      "  - {wait: {resource: pods/never, for: create, timeout: 0s}}\n";
  const std::vector<Told> told = Waits("1.36", steps + CreatePod("9s", "a"));
  ASSERT_EQ(told.size(), 4u);
  EXPECT_EQ(told[0].result, "pod/a condition met");
  EXPECT_LE(told[0].seconds, 9);
  EXPECT_EQ(told[1].result, "pod/a condition met\npod/a condition met");
  EXPECT_EQ(told[2].result, "error: timed out waiting for the condition");
  EXPECT_EQ(told[2].seconds, 3);
  EXPECT_EQ(told[3].result, "error: timed out waiting for the condition");
  EXPECT_EQ(told[3].seconds, 0);
}

TEST(WaitSteps, WaitForAValueAtAPath) {
  const std::string steps =
      CreatePod("0s", "a") +
      "  - {wait: {resource: pods/a, for: \"jsonpath='{.status.phase}'=Running\"}}\n"
      "  - {wait: {resource: pods/a, for: \"jsonpath={.status.phase}=Failed\", timeout: 2s}}\n"
      "  - {wait: {resource: pods/a, for: \"jsonpath={.status.podIPs}=x\", timeout: 2s}}\n"
      "  - {wait: {resource: pods/a, for: \"jsonpath={.status.phase}=Failed\", timeout: 0s}}\n"
      "  - {wait: {resource: pods/a, for: condition=Ready, timeout: 0s}}\n";
  for (const char* compat : {"1.25", "1.30", "1.36"})
    EXPECT_EQ(Results(compat, steps),
              (Lines{"pod/a condition met", "error: timed out waiting for the condition on pods/a",
                     "error: jsonpath leads to a nested object or list which is not supported",
                     "error: condition not met for pods/a", "pod/a condition met"}))
        << compat;
}

// 1.25 gives up on a path that does not lead anywhere yet.
TEST(WaitSteps, APathThatIsNotThereYetIsWaitedForFrom130On) {
  const std::string steps = CreatePod("0s", "a") +
                            "  - {wait: {resource: pods/a, for: \"jsonpath={.status.podIP}=x\", "
                            "timeout: 2s}}\n";
  EXPECT_EQ(Results("1.25", steps), Lines{"error: podIP is not found"});
  EXPECT_EQ(Results("1.30", steps), Lines{"error: timed out waiting for the condition on pods/a"});
}

// API-281. ContinueOnErrorVisitor: every object is waited for; several errors have no prefix. The
// deadline is one for all objects from 1.30 on.
TEST(WaitSteps, EveryObjectIsWaitedFor) {
  const std::string steps =
      CreatePod("0s", "a") + CreatePod("0s", "b") +
      "  - {wait: {resource: pods, all: true, for: condition=No, timeout: 3s}}\n"
      "  - {wait: {resource: pods, all: true, for: delete, timeout: 3s}}\n";
  const std::string both =
      "timed out waiting for the condition on pods/a\n"
      "timed out waiting for the condition on pods/b";
  const std::vector<Told> old = Waits("1.25", steps), now = Waits("1.36", steps);
  EXPECT_EQ(Results("1.30", steps), (Lines{both, both}));
  EXPECT_EQ(old[0].result, both);
  EXPECT_EQ(old[0].seconds, 6);
  EXPECT_EQ(old[1].result, both);
  EXPECT_EQ(now[0].result, both);
  EXPECT_EQ(now[0].seconds, 3);
  EXPECT_EQ(now[1].result,
            "timed out waiting for the condition on pods/a\n"
            "client rate limiter Wait returned an error: context deadline exceeded");
}

// condition.go: an object that goes away while it is watched may come again under its name.
TEST(WaitSteps, AnObjectThatComesAgainIsTheOneThatIsWaitedFor) {
  const std::string steps =
      "  - {at: 0s, create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}}}\n"
      "  - {wait: {resource: cm/c, for: \"jsonpath={.data.k}=v\", timeout: 20s}}\n"
      "  - {at: 5s, delete: {resource: cm/c}}\n"
      "  - {at: 9s, create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, "
      "data: {k: v}}}}\n"
      "  - {at: 20s, delete: {resource: cm/c, wait: false}}\n"
      "  - {wait: {resource: cm/c, for: delete}}\n";
  EXPECT_EQ(Results("1.36", steps), (Lines{"configmap/c condition met", ""}));
}

}  // namespace
}  // namespace ksim::scenario
