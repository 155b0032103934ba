// The server's single alarm for all watches, against a slow oracle that scans a list of deadlines.
#include "ksim/apiserver/server/open_watches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

// The expected end of a watch.
struct Expected {
  std::shared_ptr<TestWatch> watch;
  VirtualTime end;  // its deadline, or when it was ended
  api::StreamEnd how = api::StreamEnd::kEof;
};

class OpenWatchesTest : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  std::uint32_t Draw(std::uint32_t n) {
    sim::Decisions& decisions = world_.sim.decisions();
    return decisions.Draw(decisions.Site("test"), ++draws_ * 1000 + GetParam(), n);
  }
  void Open() {
    api::ListOptions options;
    options.resource_version = "0";
    options.timeout_seconds = 1 + Draw(20);
    // Watches of Events are served from storage, the others from a watch cache.
    const char* resource = Draw(4) == 0 ? "events" : "configmaps";
    Expected e;
    e.watch = world_.Watch(resource, "", options);
    EXPECT_EQ(e.watch->response.code, 200);
    e.end = world_.sim.now() + Seconds(*options.timeout_seconds);
    all_.push_back(std::move(e));
  }
  // The watches whose deadline has not passed, in the order of opening.
  std::vector<Expected*> Alive() {
    std::vector<Expected*> alive;
    for (Expected& e : all_) {
      if (e.end > world_.sim.now()) alive.push_back(&e);
    }
    return alive;
  }
  void CloseOne() {
    const std::vector<Expected*> alive = Alive();
    if (alive.empty()) return;
    // Half of the time the test closes the watch for which the alarm is set.
    Expected* e = alive[Draw(static_cast<std::uint32_t>(alive.size()))];
    if (Draw(2) == 0)
      e = *std::min_element(alive.begin(), alive.end(),
                            [](const Expected* a, const Expected* b) { return a->end < b->end; });
    world_.server().endpoint().CloseWatch(e->watch->response.stream);
    e->end = world_.sim.now();
  }
  void EndAll() {
    const bool restart = Draw(2) == 0;
    for (Expected* e : Alive()) {
      e->end = world_.sim.now();
      e->how = api::StreamEnd::kReset;
    }
    if (restart) {
      world_.server().process().Kill();
      world_.server().Start();
    } else {
      world_.server().faults().SetDown(true);
      world_.server().faults().SetDown(false);
    }
    world_.RunUntil([&] { return world_.server().ready(); });
  }

  World world_;
  std::vector<Expected> all_;
  std::uint64_t draws_ = 0;
};

// WATCH-17
TEST_P(OpenWatchesTest, EachEndsAtItsDeadlineOrWhenItIsEnded) {
  for (int i = 0; i < 200; ++i) {
    const std::uint32_t what = Draw(20);
    if (what < 10) {
      Open();
    } else if (what < 14) {
      CloseOne();
    } else if (what < 19) {
      world_.Advance(Milliseconds(Draw(3000)));
    } else {
      EndAll();
    }
    world_.Advance(Duration());
    ASSERT_EQ(world_.server().open_watches(), Alive().size()) << "after " << i;
  }
  world_.Advance(Seconds(30));
  EXPECT_EQ(world_.server().open_watches(), 0u);
  for (const Expected& e : all_) {
    EXPECT_TRUE(e.watch->closed);
    EXPECT_EQ(e.watch->closed_at, e.end);
    EXPECT_EQ(e.watch->end, e.how);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, OpenWatchesTest, ::testing::Range(1u, 11u));

// An alarm that ends no watch would be a needless step of the kernel.
TEST(OpenWatches, NoAlarmIsLeftOfWatchesThatHaveEnded) {
  World world;
  const auto open = [&](std::int64_t seconds) {
    api::ListOptions options;
    options.resource_version = "0";
    options.timeout_seconds = seconds;
    return world.Watch("configmaps", "", options);
  };
  const auto steps_in = [&](Duration d) {
    const std::uint64_t before = world.sim.steps();
    world.Advance(d);
    return world.sim.steps() - before;
  };
  world.Advance(Seconds(1));
  const auto early = open(5);
  const auto late = open(7);
  world.server().endpoint().CloseWatch(early->response.stream);
  world.Advance(Duration());
  const std::uint64_t with_one = steps_in(Seconds(10));
  EXPECT_TRUE(late->closed);
  EXPECT_EQ(with_one, steps_in(Seconds(10)) + 1);
}

}  // namespace
}  // namespace ksim::apiserver
