#include "ksim/client/rest/component_limits.h"

#include <gtest/gtest.h>

namespace ksim::client {
namespace {

using api::Compat;

// CLIENT-97, CTRL-C-10
TEST(ComponentLimits, AreThoseOfEachVersionsDefaults) {
  struct Row {
    Limits component;
    std::int64_t qps[3], burst[3];  // 1.25, 1.30, 1.36
  };
  const Row rows[] = {
      {Limits::kControllerManager, {20, 20, 20}, {30, 30, 30}},
      {Limits::kScheduler, {50, 50, 50}, {100, 100, 100}},
      {Limits::kKubelet, {5, 50, 50}, {10, 100, 100}},
      {Limits::kKubeletEvents, {5, 50, 50}, {10, 100, 100}},
      {Limits::kGeneric, {50, 50, 50}, {100, 100, 100}},
      {Limits::kControllerRuntime, {20, 20, -1}, {30, 30, 0}},
  };
  const Compat compats[] = {Compat::k1_25, Compat::k1_30, Compat::k1_36};
  for (const Row& row : rows) {
    for (int i = 0; i < 3; ++i) {
      const ClientOptions options = LimitedAs(row.component, compats[i], "me");
      EXPECT_EQ(options.qps, row.qps[i]) << int(row.component) << " " << i;
      EXPECT_EQ(options.burst, row.burst[i]) << int(row.component) << " " << i;
      EXPECT_EQ(options.user, "me");
    }
  }
}

}  // namespace
}  // namespace ksim::client
