#include "ksim/store/watch_events.h"

#include "tests/store/store_fixture.h"

namespace ksim::store {
namespace {

class WatchEventsTest : public StoreTest {
 protected:
  // The events of the stream's next response that has any.
  WatchEvents Take(WatchStream& stream) {
    while (std::optional<WatchResponse> r = stream.Next()) {
      if (!r->events.empty()) return r->events;
    }
    return WatchEvents();
  }
};

TEST_F(WatchEventsTest, AreSharedByTheWatchesOfOneChange) {
  const auto one = store.NewWatchStream(), two = store.NewWatchStream();
  one->Watch(WatchRequest("a", "", 0));
  two->Watch(WatchRequest("a", "b", 0));
  Put("a");
  EXPECT_EQ(Take(*one).begin(), Take(*two).begin());
}

TEST_F(WatchEventsTest, AreNotSharedByThoseWhoAskForMore) {
  const auto stream = store.NewWatchStream();
  Put("a", "old");
  WatchRequest with_prev("a", "", 0);
  with_prev.prev_kv = true;
  stream->Watch(with_prev);
  stream->Watch(WatchRequest("a", "", 0));
  Put("a", "new");
  EXPECT_TRUE(Take(*stream)[0].prev_kv);
  EXPECT_FALSE(Take(*stream)[0].prev_kv);
}

TEST_F(WatchEventsTest, WritingToOneLeavesTheOthersAlone) {
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest("a", "", 0));
  stream->Watch(WatchRequest("a", "", 0));
  Put("a");
  WatchEvents mine = Take(*stream);
  const WatchEvents theirs = Take(*stream);
  mine.Own(0).cause = 7;
  EXPECT_EQ(mine[0].cause, 7u);
  EXPECT_EQ(theirs[0].cause, 0u);
  const WatchEvent* before = mine.begin();
  mine.Own(0).cause = 8;
  EXPECT_EQ(mine.begin(), before) << "nobody else holds it by now";
}

}  // namespace
}  // namespace ksim::store
