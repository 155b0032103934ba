// The node IPAM controller against real API servers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/controllers/nodeipam/cidr_set.h"
#include "ksim/controllers/nodeipam/node_ipam_controller.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

void StartIpam(ActorWorld& w) {
  w.StartController("ipam", [](controllers::ControllerContext context) {
    return std::make_unique<controllers::NodeIpamController>(std::move(context));
  });
}

std::string RangeOf(ActorWorld& w, std::string_view node) {
  return std::string(w.Get("nodes", node).spec().Get("podCIDR").AsString());
}

// CTRL-IPAM-01
TEST(NodeIpam, EachNodeGetsTheNextRange) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.AddNode("a");
    w.AddNode("b");
    StartIpam(w);
    EXPECT_EQ(RangeOf(w, "a"), "10.244.0.0/24");
    EXPECT_EQ(RangeOf(w, "b"), "10.244.1.0/24");
    EXPECT_EQ(w.Get("nodes", "b").spec().Get("podCIDRs").at(0).AsString(), "10.244.1.0/24");
    w.Forget();
    w.Patch("nodes", "a", R"({"metadata":{"labels":{"x":"y"}}})");
    w.Settle();
    EXPECT_THAT(w.Writes(), testing::IsEmpty());
  }
}

// CTRL-IPAM-01, CTRL-IPAM-02: what is in use when it starts is taken, what is released comes last.
TEST(NodeIpam, RangesInUseAreTakenAndReleasedOnesComeAgain) {
  ActorWorld w;
  w.AddNode("a");
  w.Patch("nodes", "a", R"({"spec":{"podCIDR":"10.244.1.0/24","podCIDRs":["10.244.1.0/24"]}})");
  w.AddNode("b");
  StartIpam(w);
  EXPECT_EQ(RangeOf(w, "b"), "10.244.0.0/24");
  w.AddNode("c");
  w.Settle();
  EXPECT_EQ(RangeOf(w, "c"), "10.244.2.0/24");
  w.Delete("nodes", "b");
  w.Settle();
  w.AddNode("d");
  w.Settle();
  EXPECT_EQ(RangeOf(w, "d"), "10.244.3.0/24") << "in turn";
}

// cidr_set_test.go TestCIDRSetFullyAllocated. CTRL-IPAM-03
TEST(NodeIpam, TheLastRangeIsTheLast) {
  controllers::CidrSet set;
  for (int i = 0; i < 256; ++i) EXPECT_EQ(set.AllocateNext(), fmt::format("10.244.{}.0/24", i));
  EXPECT_EQ(set.AllocateNext(), std::nullopt);
  EXPECT_TRUE(set.Release("10.244.7.0/24"));
  EXPECT_TRUE(set.Occupy("10.244.7.0/24"));
  EXPECT_EQ(set.AllocateNext(), std::nullopt);
  EXPECT_TRUE(set.Release("10.244.7.0/24"));
  EXPECT_EQ(set.AllocateNext(), "10.244.7.0/24");
  EXPECT_FALSE(set.Occupy("10.245.0.0/24"));
  EXPECT_FALSE(set.Occupy("10.244.0.0/25"));
}

}  // namespace
}  // namespace ksim
