#include "ksim/client/cache/delta_queue.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "ksim/client/cache/delta_fifo.h"
#include "ksim/client/cache/indexer.h"
#include "ksim/client/cache/real_fifo.h"
#include "ksim/client/core/profile.h"
#include "tests/client/fake_server.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const sim::Origin kNobody;

std::string Show(const Delta& d) {
  static constexpr const char* kNames[] = {"Added", "Updated", "Deleted", "Replaced", "Sync"};
  return fmt::format("{} {}@{}{}", kNames[static_cast<int>(d.type)], d.object.name(),
                     d.object.resource_version(), d.tombstone ? " tombstone" : "");
}

std::vector<std::string> PopAll(DeltaQueue& queue) {
  std::vector<std::string> out;
  while (std::unique_ptr<Popped> popped = queue.Pop()) {
    for (const Delta& d : popped->deltas) out.push_back(Show(d));
    if (popped->kind == Popped::Kind::kReplacedAll) {
      out.push_back(fmt::format("ReplacedAll of {}", popped->objects.size()));
    }
    if (popped->kind == Popped::Kind::kSyncAll) out.emplace_back("SyncAll");
    if (popped->kind == Popped::Kind::kBookmark) out.emplace_back("Bookmark");
    queue.Processed();
  }
  return out;
}

struct DeltaFifoTest : testing::Test {
  Indexer cache{Pods()};
  DeltaFifo fifo{&cache, true};
  DeltaFifo old_fifo{&cache, false};
};

// CLIENT-49: a Pop whose handler fails loses the entry; it does not come again.
TEST(DeltaQueues, WhatHasBeenPoppedIsNotPutBack) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36}) {
    Indexer cache{Pods()};
    const std::unique_ptr<DeltaQueue> queue =
        MakeDeltaQueue(ProfileOf(compat), api::DefaultVariants(compat), &cache);
    queue->Add(Pod("a", 1), kNobody);
    queue->Add(Pod("b", 2), kNobody);
    ASSERT_EQ(queue->Pop()->deltas.at(0).object.name(), "a");
    queue->Processed();  // without having done anything
    ASSERT_EQ(queue->Pop()->deltas.at(0).object.name(), "b");
    queue->Processed();
    EXPECT_EQ(queue->Pop(), nullptr);
    queue->Add(Pod("a", 3), kNobody);
    EXPECT_EQ(PopAll(*queue).size(), 1u) << "only what is new";
  }
}

// CLIENT-40, CLIENT-39
TEST_F(DeltaFifoTest, PopHandsOutAllDeltasOfAKeySoLaterOnesJumpTheLine) {
  fifo.Add(Pod("a", 1), kNobody);
  fifo.Add(Pod("b", 2), kNobody);
  fifo.Update(Pod("a", 3, "another-uid"), kNobody);
  EXPECT_EQ(fifo.size(), 2u);
  const std::unique_ptr<Popped> first = fifo.Pop();
  EXPECT_EQ(first->object().key(), "default/a");
  EXPECT_EQ(first->deltas.size(), 2u);
  EXPECT_THAT(PopAll(fifo), ElementsAre("Added b@2"));
}

// CLIENT-41, CLIENT-38
TEST_F(DeltaFifoTest, OnlyConsecutiveDeletionsMergeAndTheRealObjectStays) {
  cache.Put(Pod("a", 1));
  fifo.Update(Pod("a", 2), kNobody);
  fifo.Update(Pod("a", 2), kNobody);
  fifo.Delete(Pod("a", 3), kNobody);
  fifo.Replace({}, 9, kNobody);  // would be a tombstone
  fifo.Replace({Pod("a", 10)}, 10, kNobody);
  fifo.Replace({Pod("a", 10)}, 10, kNobody);
  EXPECT_THAT(PopAll(fifo), ElementsAre("Updated a@2", "Updated a@2", "Deleted a@3",
                                        "Replaced a@10", "Replaced a@10"));
  fifo.Replace({}, 11, kNobody);  // tombstone first, then the real one
  fifo.Delete(Pod("a", 12), kNobody);
  EXPECT_THAT(PopAll(fifo), ElementsAre("Deleted a@12"));
}

// CLIENT-42
TEST_F(DeltaFifoTest, DeletionOfAnUnknownKeyIsSwallowed) {
  fifo.Delete(Pod("a", 1), kNobody);
  EXPECT_THAT(PopAll(fifo), IsEmpty());
  fifo.Add(Pod("a", 1), kNobody);
  fifo.Delete(Pod("a", 2), kNobody);
  EXPECT_THAT(PopAll(fifo), ElementsAre("Added a@1", "Deleted a@2"));
  cache.Put(Pod("b", 1));
  fifo.Delete(Pod("b", 2), kNobody);
  EXPECT_THAT(PopAll(fifo), ElementsAre("Deleted b@2"));
}

// CLIENT-43, CLIENT-44, CLIENT-03
TEST_F(DeltaFifoTest, ReplaceDetectsDeletionsInTheQueueSince027) {
  cache.Put(Pod("known", 1));
  cache.Put(Pod("both", 1));
  for (DeltaFifo* f : {&fifo, &old_fifo}) {
    f->Add(Pod("y", 2), kNobody);
    f->Update(Pod("both", 3), kNobody);
    f->Add(Pod("x", 4), kNobody);
    f->Replace({Pod("new", 5), Pod("a", 6)}, 9, kNobody);
  }
  EXPECT_THAT(PopAll(fifo),
              ElementsAre("Added y@2", "Deleted y@2 tombstone", "Updated both@3",
                          "Deleted both@3 tombstone", "Added x@4", "Deleted x@4 tombstone",
                          "Replaced new@5", "Replaced a@6", "Deleted known@1 tombstone"));
  EXPECT_THAT(PopAll(old_fifo),
              ElementsAre("Added y@2", "Updated both@3", "Deleted both@1 tombstone", "Added x@4",
                          "Replaced new@5", "Replaced a@6", "Deleted known@1 tombstone"));
}

// CLIENT-45
TEST_F(DeltaFifoTest, ResyncSkipsKeysThatWait) {
  cache.Put(Pod("a", 1));
  cache.Put(Pod("b", 2));
  fifo.Update(Pod("a", 3), kNobody);
  fifo.Resync(kNobody);
  EXPECT_THAT(PopAll(fifo), ElementsAre("Updated a@3", "Sync b@2"));
}

// CLIENT-46, CLIENT-47
TEST_F(DeltaFifoTest, SyncedOnceTheFirstReplaceIsPopped) {
  cache.Put(Pod("gone", 1));
  EXPECT_FALSE(fifo.HasSynced());
  fifo.Replace({Pod("a", 2)}, 2, kNobody);
  EXPECT_FALSE(fifo.HasSynced());
  EXPECT_TRUE(fifo.Pop()->is_in_initial_list);
  EXPECT_FALSE(fifo.HasSynced());  // the deletion counts too
  EXPECT_TRUE(fifo.Pop()->is_in_initial_list);
  EXPECT_TRUE(fifo.HasSynced());
  fifo.Add(Pod("b", 3), kNobody);
  EXPECT_FALSE(fifo.Pop()->is_in_initial_list);

  Indexer empty{Pods()};
  DeltaFifo by_add(&empty, true), by_nothing(&empty, true);
  by_add.Add(Pod("a", 1), kNobody);
  EXPECT_TRUE(by_add.HasSynced());
  by_nothing.Replace({}, 1, kNobody);
  EXPECT_TRUE(by_nothing.HasSynced());
}

// CLIENT-48
TEST_F(DeltaFifoTest, PopOfAnEmptyQueueIsNothing) { EXPECT_EQ(fifo.Pop(), nullptr); }

// CLIENT-50, CLIENT-52
TEST(RealFifo, HandsOutEveryCallInOrder) {
  RealFifo fifo(nullptr, true);
  fifo.Delete(Pod("unknown", 1), kNobody);
  fifo.Add(Pod("a", 2), kNobody);
  fifo.Add(Pod("b", 3), kNobody);
  fifo.Update(Pod("a", 4), kNobody);
  fifo.Delete(Pod("a", 5), kNobody);
  fifo.Delete(Pod("a", 6), kNobody);
  fifo.Replace({Pod("x", 7), Pod("y", 7)}, 9, kNobody);
  fifo.Resync(kNobody);
  fifo.Bookmark(11, kNobody);
  EXPECT_THAT(PopAll(fifo),
              ElementsAre("Deleted unknown@1", "Added a@2", "Added b@3", "Updated a@4",
                          "Deleted a@5", "Deleted a@6", "ReplacedAll of 2", "SyncAll", "Bookmark"));
}

// CLIENT-46, CLIENT-47
TEST(RealFifo, SyncedOnlyWhenTheFirstReplaceWasProcessedEvenIfEmpty) {
  RealFifo fifo(nullptr, true);
  fifo.Replace({}, 1, kNobody);
  EXPECT_FALSE(fifo.HasSynced());
  EXPECT_TRUE(fifo.Pop()->is_in_initial_list);
  EXPECT_FALSE(fifo.HasSynced());
  fifo.Processed();
  EXPECT_TRUE(fifo.HasSynced());
}

// CLIENT-51: Replace first queues deletions of queued or known objects that are not in the list,
// unless their deletion waits already; then the items in the list's order.
TEST(RealFifo, OneByOneBuriesWhatIsMissingThenTellsTheList) {
  Indexer cache{Pods()};
  for (const char* known : {"known", "listed", "waiting", "dying"}) cache.Put(Pod(known, 1));
  RealFifo fifo(&cache, false);
  fifo.Add(Pod("fresh", 2), kNobody);
  fifo.Update(Pod("waiting", 3), kNobody);
  fifo.Update(Pod("waiting", 4), kNobody);
  fifo.Update(Pod("dying", 5), kNobody);
  fifo.Delete(Pod("dying", 6), kNobody);
  fifo.Update(Pod("listed", 7), kNobody);
  fifo.Replace({Pod("z", 8), Pod("listed", 9)}, 9, kNobody);
  EXPECT_THAT(PopAll(fifo),
              ElementsAre("Added fresh@2", "Updated waiting@3", "Updated waiting@4",
                          "Updated dying@5", "Deleted dying@6", "Updated listed@7",
                          "Deleted fresh@2 tombstone", "Deleted waiting@4 tombstone",
                          "Deleted known@1 tombstone", "Replaced z@8", "Replaced listed@9"));
}

// CLIENT-51, CLIENT-45, CLIENT-46, CLIENT-71
TEST(RealFifo, OneByOneResyncsWhatDoesNotWaitAndKnowsNoBookmarks) {
  Indexer cache{Pods()};
  RealFifo empty(&cache, false);
  empty.Replace({}, 1, kNobody);
  EXPECT_TRUE(empty.HasSynced()) << "unlike the atomic one";
  cache.Put(Pod("a", 1));
  cache.Put(Pod("b", 1));
  RealFifo fifo(&cache, false);
  fifo.Update(Pod("a", 2), kNobody);
  fifo.Resync(kNobody);
  fifo.Bookmark(9, kNobody);
  EXPECT_THAT(PopAll(fifo), ElementsAre("Updated a@2", "Sync b@1"));
  fifo.Replace({Pod("a", 2)}, 2, kNobody);
  EXPECT_TRUE(fifo.HasSynced()) << "the first operation was another";
}

// CLIENT-54: the queue does not pass tombstones and resyncs to the transform again.
TEST(RealFifo, TransformsWhatComesFromTheServerOnly) {
  for (const bool atomic : {true, false}) {
    Indexer cache{Pods()};
    cache.Put(Pod("known", 1));
    RealFifo fifo(&cache, atomic);
    std::vector<std::string> asked;
    fifo.set_transform([&](const api::Object& o, bool tombstone) -> absl::StatusOr<api::Object> {
      EXPECT_FALSE(tombstone);
      asked.emplace_back(o.name());
      if (o.name() == "bad") return absl::InternalError("no");
      return o;
    });
    fifo.Resync(kNobody);
    EXPECT_THAT(asked, IsEmpty());
    EXPECT_TRUE(fifo.Add(Pod("a", 2), kNobody));
    EXPECT_FALSE(fifo.Add(Pod("bad", 3), kNobody));
    EXPECT_TRUE(fifo.Delete(Pod("a", 4), kNobody));
    EXPECT_FALSE(fifo.Replace({Pod("b", 5), Pod("bad", 6)}, 6, kNobody));
    EXPECT_THAT(asked, ElementsAre("a", "bad", "a", "b", "bad"));
    // A list whose transform fails leaves no entry in the atomic queue; the other queue keeps the
    // entries before the failed item.
    EXPECT_THAT(PopAll(fifo), atomic ? testing::Matcher<std::vector<std::string>>(
                                           ElementsAre("SyncAll", "Added a@2", "Deleted a@4"))
                                     : testing::Matcher<std::vector<std::string>>(ElementsAre(
                                           "Sync known@1", "Added a@2", "Deleted a@4",
                                           "Deleted known@1 tombstone", "Replaced b@5")));
  }
}

TEST(DeltaQueue, TheVersionsHaveTheirQueues) {
  Indexer cache{Pods()};
  for (const api::Compat c : {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36}) {
    const std::unique_ptr<DeltaQueue> queue =
        MakeDeltaQueue(ProfileOf(c), api::DefaultVariants(c), &cache);
    EXPECT_EQ(dynamic_cast<RealFifo*>(queue.get()) != nullptr, c == api::Compat::k1_36);
  }
}

// The slow oracle: DeltaFIFO as its comment in client-go specifies it, on plain ordered containers.
struct DeltaFifoModel {
  Indexer& cache;
  std::vector<std::pair<std::string, std::vector<std::string>>> keys;  // key, deltas
  std::vector<std::string>* Find(const std::string& key) {
    for (auto& [k, deltas] : keys) {
      if (k == key) return &deltas;
    }
    return nullptr;
  }
  void Push(const api::Object& o, const char* type, bool tombstone = false) {
    std::vector<std::string>* deltas = Find(o.key());
    if (deltas == nullptr) {
      keys.emplace_back(o.key(), std::vector<std::string>());
      deltas = &keys.back().second;
    }
    const std::string text = fmt::format("{} {}@{}{}", type, o.name(), o.resource_version(),
                                         tombstone ? " tombstone" : "");
    if (std::string_view(type) == "Deleted" && !deltas->empty() &&
        deltas->back().starts_with("Deleted")) {
      if (deltas->back().ends_with("tombstone")) deltas->back() = text;
      return;
    }
    deltas->push_back(text);
  }
  void Delete(const api::Object& o) {
    if (Find(o.key()) != nullptr || !cache.GetByKey(o.key()).empty()) Push(o, "Deleted");
  }
};

// CLIENT-40, CLIENT-41, CLIENT-42, CLIENT-45
TEST(DeltaFifo, BehavesAsItsModelUnderRandomScripts) {
  for (int seed = 0; seed < 30; ++seed) {
    Indexer cache{Pods()};
    DeltaFifo fifo(&cache, true);
    DeltaFifoModel model{cache, {}};
    std::mt19937 random(seed);
    for (int rv = 1; rv < 400; ++rv) {
      const api::Object o = Pod(std::string(1, static_cast<char>('a' + random() % 5)), rv);
      switch (random() % 6) {
        case 0:
          fifo.Add(o, kNobody);
          model.Push(o, "Added");
          break;
        case 1:
          fifo.Update(o, kNobody);
          model.Push(o, "Updated");
          break;
        case 2:
          fifo.Delete(o, kNobody);
          model.Delete(o);
          break;
        case 3:
          fifo.Resync(kNobody);
          for (const api::Object& known : cache.List("")) {
            if (model.Find(known.key()) == nullptr) model.Push(known, "Sync");
          }
          break;
        default:
          const std::unique_ptr<Popped> popped = fifo.Pop();
          ASSERT_EQ(popped != nullptr, !model.keys.empty());
          if (!popped) break;
          ASSERT_EQ(popped->object().key(), model.keys.front().first);
          std::vector<std::string> shown;
          for (const Delta& d : popped->deltas) shown.push_back(Show(d));
          ASSERT_EQ(shown, model.keys.front().second);
          model.keys.erase(model.keys.begin());
          const Delta& last = popped->deltas.back();
          if (last.type == DeltaType::kDeleted) {
            cache.Erase(popped->object());
          } else {
            cache.Put(last.object);
          }
      }
    }
  }
}

}  // namespace
}  // namespace ksim::client
