#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/core/profile.h"
#include "tests/client/world.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct FilteringFixture {
  RecordingHandler told;
  bool saw_tombstone = false;
  FilteringHandler handler{[this](const api::Object& o, bool tombstone) {
                             saw_tombstone = saw_tombstone || tombstone;
                             return o.Label("app") == "in";
                           },
                           &told};
};

api::Object In(std::int64_t rv) { return Pod("a", rv, "u", "in"); }
api::Object Out(std::int64_t rv) { return Pod("a", rv, "u", "out"); }

// CLIENT-68
TEST(FilteringHandler, UpdatesThatCrossTheFilterAreAddsAndDeletes) {
  FilteringFixture f;
  f.handler.OnAdd(Out(1), true);
  f.handler.OnUpdate(Out(1), Out(2));
  EXPECT_THAT(f.told.Take(), IsEmpty());
  f.handler.OnUpdate(Out(2), In(3));
  f.handler.OnUpdate(In(3), In(4));
  f.handler.OnUpdate(In(4), Out(5));
  EXPECT_THAT(f.told.Take(),
              ElementsAre("add default/a@3", "update default/a@3->4", "delete default/a@4"));
  f.handler.OnAdd(In(6), true);
  EXPECT_THAT(f.told.Take(), ElementsAre("add default/a@6 initial"));
}

// CLIENT-68
TEST(FilteringHandler, DeletesAreFilteredByWhatTheHandlerWouldGet) {
  FilteringFixture f;
  f.handler.OnAdd(In(1), false);
  f.told.Take();
  Deleted gone;
  gone.object = Out(2);
  f.handler.OnDelete(gone);
  EXPECT_THAT(f.told.Take(), IsEmpty());
  gone.object = In(2);
  gone.tombstone = true;
  f.handler.OnDelete(gone);
  EXPECT_THAT(f.told.Take(), ElementsAre("delete default/a@2 tombstone"));
  EXPECT_TRUE(f.saw_tombstone);
}

// CLIENT-01
TEST(Profile, ConnectionHasTheClustersVersionUnlessAnotherIsSet) {
  World world(api::Compat::k1_36);
  EXPECT_TRUE(ProfileOf(world.connection->compat()).watch_list);
  world.connection->UseProfile(api::Compat::k1_25);
  InformerFactory factory(*world.connection, ClientOptions(), Duration());
  factory.For(world.pods());
  factory.Start();
  world.server.Put("a");
  world.Settle();
  EXPECT_THAT(world.server.log, ElementsAre("list rv=0 limit=500", "watch rv=1"));
  world.sim.Shutdown();
}

}  // namespace
}  // namespace ksim::client
