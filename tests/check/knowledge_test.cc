#include "ksim/check/knowledge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ksim/trace/actors.h"
#include "tests/check/recorded.h"

namespace ksim::check {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> UnknownPods(const Trace& trace, std::string_view process,
                                     std::size_t event) {
  const absl::StatusOr<Knowledge> knowledge = KnowledgeOf(trace, process, event);
  EXPECT_TRUE(knowledge.ok()) << knowledge.status();
  std::vector<std::string> out;
  for (const Unknown& u : knowledge->unknown)
    if (u.resource == "pods") out.push_back(u.object);
  return out;
}

// A controller whose stream of pods is late knows nothing of those that it has made.
TEST(Knowledge, IsWhatTheHandlersWereTold) {
  const Trace trace = Recorded("wrong/readback", "1.36");
  const std::size_t second = Find(trace, [](const Record& r) {
    return r.kind == sim::EventKind::kReconcile && r.actor == "sample/replicaset" &&
           r.Text("state") == "begin" && r.t > Seconds(5).ns() + Milliseconds(300).ns();
  });
  const absl::StatusOr<Knowledge> knowledge = KnowledgeOf(trace, "sample", second);
  ASSERT_TRUE(knowledge.ok());
  EXPECT_TRUE(knowledge->reads);
  EXPECT_THAT(UnknownPods(trace, "sample", second), Not(IsEmpty()));
  const auto pod = std::find_if(knowledge->unknown.begin(), knowledge->unknown.end(),
                                [](const Unknown& u) { return u.resource == "pods"; });
  ASSERT_NE(pod, knowledge->unknown.end());
  EXPECT_EQ(pod->known, 0);
  EXPECT_GT(pod->revision, 0);
  EXPECT_FALSE(pod->gone);
  EXPECT_THAT(UnknownPods(trace, "sample", trace.events.size()), IsEmpty()) << "in the end it does";
}

TEST(Knowledge, OfAnObjectThatIsGoneIsTheVersionItHad) {
  const Trace trace = Recorded("wrong/tombstone", "1.36");
  const std::size_t deleted = Find(trace, [](const Record& r) {
    return r.kind == sim::EventKind::kCommit && r.Text("resource") == "pods" &&
           r.Text("op") == "delete";
  });
  EXPECT_THAT(UnknownPods(trace, "sample", deleted + 1), ElementsAre("pods/default/web-0"));
  const absl::StatusOr<Knowledge> knowledge = KnowledgeOf(trace, "sample", deleted + 1);
  const auto pod = std::find_if(knowledge->unknown.begin(), knowledge->unknown.end(),
                                [](const Unknown& u) { return u.gone; });
  ASSERT_NE(pod, knowledge->unknown.end());
  EXPECT_GT(pod->known, 0);
  EXPECT_EQ(pod->by, "kubectl");
  EXPECT_THAT(UnknownPods(trace, "sample", trace.events.size()), IsEmpty());
}

// The trace as if the process had no informers of ksim's, as a guest has none.
Trace WithoutInformers(Trace trace, std::string_view process) {
  std::erase_if(trace.events, [&](const Record& r) {
    const bool of_informers = r.kind == sim::EventKind::kHandler ||
                              r.kind == sim::EventKind::kRelist || r.kind == sim::EventKind::kCache;
    return of_informers && trace::ProcessOf(r.actor) == process;
  });
  return trace;
}

// A guest of 1.36 lists by watches; of 1.30 by lists.
TEST(Knowledge, OfAGuestIsWhatItsListsAndWatchesBrought) {
  for (const char* compat : {"1.30", "1.36"}) {
    const Trace whole = Recorded("wrong/readback", compat);
    const Trace trace = WithoutInformers(whole, "sample");
    const auto second = [](const Record& r) {
      return r.kind == sim::EventKind::kReconcile && r.actor == "sample/replicaset" &&
             r.Text("state") == "begin" && r.t > Seconds(5).ns() + Milliseconds(300).ns();
    };
    const absl::StatusOr<Knowledge> knowledge = KnowledgeOf(trace, "sample", Find(trace, second));
    ASSERT_TRUE(knowledge.ok()) << knowledge.status();
    EXPECT_TRUE(knowledge->reads) << compat;
    EXPECT_EQ(UnknownPods(trace, "sample", Find(trace, second)),
              UnknownPods(whole, "sample", Find(whole, second)))
        << compat;
    EXPECT_THAT(UnknownPods(trace, "sample", trace.events.size()), IsEmpty()) << compat;
  }
}

// A process that reads nothing knows nothing, and nobody says that it was told all.
TEST(Knowledge, OfSomebodyWhoReadsNothing) {
  const Trace trace = Recorded("wrong/tombstone", "1.36");
  const absl::StatusOr<Knowledge> knowledge = KnowledgeOf(trace, "nobody", trace.events.size());
  ASSERT_TRUE(knowledge.ok());
  EXPECT_FALSE(knowledge->reads);
  EXPECT_THAT(knowledge->unknown, IsEmpty());
}

}  // namespace
}  // namespace ksim::check
