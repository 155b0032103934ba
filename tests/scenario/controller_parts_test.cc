#include "ksim/scenario/controller_parts.h"

#include <fmt/format.h>

#include <string>

#include "from_text.h"
#include "gtest/gtest.h"
#include "ksim/base/os.h"

namespace ksim::scenario {
namespace {

bool Runs(const std::string& cluster, std::string_view name) {
  const Scenario scenario = FromSpec("  cluster: {" + cluster + "}\n");
  return RunsController(scenario.cluster, name, scenario.compat);
}

TEST(ControllerParts, AClusterRunsTheControllersThatItNames) {
  EXPECT_TRUE(Runs("controllers: [serviceaccount]", "serviceaccount"));
  EXPECT_TRUE(Runs("controllers: [{name: serviceaccount, replicas: 2}]", "serviceaccount"));
  EXPECT_FALSE(Runs("controllers: [replicaset]", "serviceaccount"));
  EXPECT_FALSE(Runs("controllers: ['*', -serviceaccount]", "serviceaccount"));
  EXPECT_FALSE(Runs("controllers: [serviceaccount]", "no-such-controller"));
}

// API-130: where a guest stands for the manager, its flag says which it runs; beside a guest that
// stands for some controllers ksim's own others run.
TEST(ControllerParts, AGuestRunsThoseOfItsFlag) {
  const std::string path = testing::TempDir() + "/ksim-controller-parts-test.wasm";
  ASSERT_TRUE(os::WriteFile(path, "not wasm").ok());
  const auto guest = [&path](const std::string& more) {
    return fmt::format("controllers: {{guest: {}{}}}", path, more);
  };
  EXPECT_TRUE(Runs(guest(""), "serviceaccount"));
  EXPECT_TRUE(Runs(guest(", instead: [serviceaccount]"), "serviceaccount"));
  EXPECT_TRUE(Runs(guest(", instead: [serviceaccount-controller]"), "serviceaccount"));
  EXPECT_TRUE(Runs(guest(", instead: [job]"), "serviceaccount"));
  EXPECT_FALSE(Runs(guest(", instead: ['*', -serviceaccount]"), "serviceaccount"));
  EXPECT_FALSE(Runs(fmt::format("controllers: [], guests: [{{name: a, file: {}}}]", path),
                    "serviceaccount"));
}

}  // namespace
}  // namespace ksim::scenario
