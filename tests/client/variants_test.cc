// Old bugs of client-go and their repairs: each variant's values run one script.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/cache/shared_informer.h"
#include "ksim/sim/probe.h"
#include "tests/client/cache/reflector_fixture.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;
using V = api::Variants;

std::uint64_t Reached(std::string_view probe) {
  for (const sim::ProbeCount& p : sim::Probes())
    if (p.name == probe) return p.count;
  return 0;
}

// The requests of a reflector at version 7 whose server answers `times` lists with "too large", as
// one that is behind the previous server does.
std::vector<std::string> TooLargeScript(api::Compat compat, std::string_view value, int times) {
  sim::ResetProbes();
  World world(compat);
  world.env.variants = api::ResolveVariants(compat, {{"reflector.tooLargeRV", std::string(value)}});
  world.env.jitter = false;
  InformerFactory factory(*world.connection, ClientOptions(), Duration());
  factory.For(world.pods());
  for (int i = 0; i < 7; ++i) world.server.Put("a");
  factory.Start();
  world.Settle();
  world.server.log.clear();
  for (int i = 0; i < times; ++i) {
    world.server.Answer(api::Verb::kList, api::TooLargeResourceVersion(7, 3, 0));
    if (compat == api::Compat::k1_36)
      world.server.Answer(api::Verb::kWatch, api::TooLargeResourceVersion(7, 3, 0));
  }
  world.server.SendError(api::Expired("too old"));
  world.Advance(Seconds(8));
  std::vector<std::string> log = std::exchange(world.server.log, {});
  world.sim.Shutdown();
  return log;
}

// bugs: kubernetes#91073
TEST(ReflectorTooLargeRV, RetrySameGoesOnAskingForWhatTheServerDoesNotHave) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30}) {
    EXPECT_THAT(TooLargeScript(compat, "retrySame", 2),
                ElementsAre("list rv=7", "list rv=7", "list rv=7", "watch rv=7"));
    EXPECT_EQ(Reached("variant/reflector.tooLargeRV"), 2u);
  }
  EXPECT_THAT(TooLargeScript(api::Compat::k1_36, "retrySame", 1),
              ElementsAre("watch rv=7 initial", "list rv=7", "watch rv=7 initial"));
}

TEST(ReflectorTooLargeRV, RelistConsistentAsksForTheNewestAtOnce) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30}) {
    EXPECT_THAT(TooLargeScript(compat, "relistConsistent", 1),
                ElementsAre("list rv=7", "list rv=", "watch rv=7"));
  }
  EXPECT_THAT(TooLargeScript(api::Compat::k1_36, "relistConsistent", 1),
              ElementsAre("watch rv=7 initial", "watch rv= initial"));
}

// An object that is queued, but not in the cache yet, when a relist comes without it.
std::vector<std::string> QueuedThenGone(api::Compat compat, std::string_view value) {
  const api::Variants variants =
      api::ResolveVariants(compat, {{"deltafifo.replace", std::string(value)}});
  Indexer cache{Pods()};
  const std::unique_ptr<DeltaQueue> queue = MakeDeltaQueue(ProfileOf(compat), variants, &cache);
  sim::ResetProbes();
  queue->Replace({}, 1, {});
  queue->Add(Pod("x", 2), {});
  queue->Replace({}, 4, {});
  std::vector<std::string> types;
  while (const std::unique_ptr<Popped> popped = queue->Pop())
    for (const Delta& d : popped->deltas)
      types.push_back(d.type == DeltaType::kDeleted ? "deleted" : "added");
  return types;
}

// bugs: kubernetes#115658. CLIENT-43, CLIENT-44
TEST(DeltaFifoReplace, IndexerOnlyLeavesAPhantomThatQueueTooFinds) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30}) {
    EXPECT_THAT(QueuedThenGone(compat, "indexerOnly"), ElementsAre("added"));
    EXPECT_THAT(QueuedThenGone(compat, "queueToo"), ElementsAre("added", "deleted"));
    EXPECT_EQ(Reached("variant/deltafifo.replace"), 1u);
  }
}

// bugs: kubernetes#59848
TEST(FirstList, IsWhatTheInformerAsksForInAnyVersion) {
  struct Case {
    FirstList first;
    api::Compat compat;
    std::string request;
  };
  for (const Case& c :
       std::vector<Case>{{FirstList::kCached, api::Compat::k1_25, "list rv=0 limit=500"},
                         {FirstList::kConsistent, api::Compat::k1_25, "list rv= limit=500"},
                         {FirstList::kConsistent, api::Compat::k1_30, "list rv= limit=500"},
                         {FirstList::kAsVersion, api::Compat::k1_30, "list rv=0 limit=500"},
                         {FirstList::kCached, api::Compat::k1_36, "list rv=0 limit=500"},
                         {FirstList::kConsistent, api::Compat::k1_36, "watch rv= initial"},
                         {FirstList::kAsVersion, api::Compat::k1_36, "watch rv= initial"}}) {
    ReflectorOptions options;
    options.first_list = c.first;
    ReflectorFixture f(c.compat, options);
    f.world.server.Put("a");
    f.Start();
    f.world.Settle();
    EXPECT_EQ(f.Log().at(0), c.request);
    EXPECT_EQ(f.reflector.last_sync_resource_version(), "1");
  }
}

// Later lists ask for the version last seen, as without the variant.
TEST(FirstList, OnlyTheFirstDiffers) {
  ReflectorOptions options;
  options.first_list = FirstList::kCached;
  ReflectorFixture f(api::Compat::k1_36, options);
  f.world.server.Put("a");
  f.Start();
  f.world.Settle();
  f.Log();
  f.world.server.SendError(api::Expired("x"));
  f.world.Advance(Seconds(2));
  EXPECT_EQ(f.Log().at(0), "watch rv=1 initial");
}

}  // namespace
}  // namespace ksim::client
