// `quietFor`: what goes on in a cluster at rest keeps no run from its end.
#include <gtest/gtest.h>

#include <string>

#include "ksim/scenario/runner.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

constexpr const char* kTwoPods =
    "  steps:\n"
    "  - create:\n"
    "      object:\n"
    "        apiVersion: apps/v1\n"
    "        kind: ReplicaSet\n"
    "        metadata: {name: web}\n"
    "        spec:\n"
    "          replicas: 2\n"
    "          selector: {matchLabels: {app: web}}\n"
    "          template:\n"
    "            metadata: {labels: {app: web}}\n"
    "            spec: {containers: [{name: c, image: nginx}]}\n";

// Heartbeats, the look at the nodes' health every five seconds, and what else comes again and
// again.
TEST(Quiet, AClusterAtRestIsQuietForMinutes) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    const Scenario scenario = FromSpec("  compat: \"" + std::string(compat) +
                                       "\"\n  quietFor: 4m\n  limit: 30m\n" + kTwoPods);
    const RunReport report = Runner(scenario, RunnerOptions()).Run();
    EXPECT_EQ(report.exit_code, 0) << compat;
    EXPECT_LT(report.end.time, Minutes(10).ns()) << compat;
  }
}

}  // namespace
}  // namespace ksim::scenario
