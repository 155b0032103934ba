// Each watch guarantee catches the histories that break it. The base is a real run; one row breaks
// one thing. Rows follow the mutations that etcd's own validator is tested with
// (tests/robustness/validate/watch_test.go TestValidateWatch) and its historic bugs.
#include <gtest/gtest.h>

#include "recorded.h"

namespace ksim::check {
namespace {

using CommittedChange = std::function<void(Trace*)>;

struct WatchRow {
  const char* what;
  CommittedChange change;
  std::set<std::string> caught;  // at least these
};

const std::string kKcm = "kube-controller-manager";

void Drop(Trace* t, const Is& is, std::size_t n) {
  const std::size_t i = Find(*t, is, n);
  ASSERT_LT(i, t->events.size());
  t->events.erase(t->events.begin() + static_cast<std::ptrdiff_t>(i));
}

void Repeat(Trace* t, const Is& is, std::size_t n) {
  const std::size_t i = Find(*t, is, n), j = Find(*t, is, n + 1);
  ASSERT_LT(j, t->events.size());
  const Record copy = t->events[i];
  t->events.insert(t->events.begin() + static_cast<std::ptrdiff_t>(j), copy);
}

// Swaps the n-th event with its successor.
void Swap(Trace* t, const Is& is, std::size_t n) {
  const std::size_t i = Find(*t, is, n), j = Find(*t, is, n + 1);
  ASSERT_LT(j, t->events.size());
  const Record late = t->events[i];
  t->events.insert(t->events.begin() + static_cast<std::ptrdiff_t>(j + 1), late);
  t->events.erase(t->events.begin() + static_cast<std::ptrdiff_t>(i));
}

// Repeats the n-th event after the one that is `later` places behind it.
void RepeatLate(Trace* t, const Is& is, std::size_t n, std::size_t later) {
  const std::size_t i = Find(*t, is, n), j = Find(*t, is, n + later);
  ASSERT_LT(j, t->events.size());
  const Record copy = t->events[i];
  t->events.insert(t->events.begin() + static_cast<std::ptrdiff_t>(j + 1), copy);
}

// Puts the n-th event after its successor, which then comes before its own commit.
void SwapEarly(Trace* t, const Is& is, std::size_t n) {
  const std::size_t i = Find(*t, is, n), j = Find(*t, is, n + 1);
  ASSERT_LT(j, t->events.size());
  const std::int64_t rv = t->events[j].Int("rv");
  const std::size_t commit = Find(
      *t, [rv](const Record& r) { return r.kind == sim::EventKind::kCommit && r.Int("rv") == rv; });
  Record early = t->events[j];
  t->events.erase(t->events.begin() + static_cast<std::ptrdiff_t>(j));
  t->events.insert(t->events.begin() + static_cast<std::ptrdiff_t>(std::min(i, commit)), early);
}

void Set(Trace* t, const Is& is, std::size_t n, std::string_view field, const Value& v) {
  const std::size_t i = Find(*t, is, n);
  ASSERT_LT(i, t->events.size());
  SetField(&t->events[i], field, v);
}

// Puts a bookmark of the n-th event's stream before (or after) it, at its revision plus `ahead`.
void Bookmark(Trace* t, const Is& is, std::size_t n, std::int64_t ahead, bool after) {
  const std::size_t i = Find(*t, is, n);
  ASSERT_LT(i, t->events.size());
  Record r = t->events[i];
  SetField(&r, "type", Value::Of("BOOKMARK"));
  SetField(&r, "name", Value::Of(""));
  SetField(&r, "namespace", Value::Of(""));
  SetField(&r, "key", Value::Of(""));
  SetField(&r, "rv", Value::Of(r.Int("rv") + ahead));
  t->events.insert(t->events.begin() + static_cast<std::ptrdiff_t>(i + (after ? 1 : 0)), r);
}

std::vector<WatchRow> WatchRows() {
  const Is pods = DeliverTo(kKcm, "pods");
  const Is created = DeliverTo(kKcm, "pods", "ADDED");
  const Is deleted = DeliverTo(kKcm, "pods", "DELETED");
  const Is store = StoreDeliver("/registry/pods/");
  return {
      {"an event is dropped",
       [=](Trace* t) { Drop(t, pods, 3); },
       {"watch.reliable", "resume.reliable"}},
      {"the first event is skipped",
       [=](Trace* t) { Drop(t, pods, 0); },
       {"watch.resumable", "watch.reliable", "resume.reliable"}},
      {"etcd drops an event (17529)", [=](Trace* t) { Drop(t, store, 3); }, {"watch.reliable"}},
      {"etcd skips the start",
       [=](Trace* t) { Drop(t, store, 0); },
       {"watch.resumable", "watch.reliable"}},
      {"an event is repeated (17247)",
       [=](Trace* t) { Repeat(t, pods, 3); },
       {"watch.unique", "resume.unique"}},
      {"etcd repeats an event", [=](Trace* t) { Repeat(t, store, 3); }, {"watch.unique"}},
      {"an old event is repeated after newer ones",
       [=](Trace* t) { RepeatLate(t, pods, 1, 3); },
       {"watch.unique", "watch.ordered", "resume.unique", "resume.ordered"}},
      {"etcd repeats an old event after newer ones",
       [=](Trace* t) { RepeatLate(t, store, 1, 3); },
       {"watch.unique", "watch.ordered"}},
      {"the second of two events comes first, before its commit",
       [=](Trace* t) { SwapEarly(t, pods, 3); },
       {"watch.reliable", "watch.ordered", "resume.ordered"}},
      {"two events are swapped",
       [=](Trace* t) { Swap(t, pods, 3); },
       {"watch.ordered", "resume.ordered"}},
      {"etcd swaps two events (15271)", [=](Trace* t) { Swap(t, store, 3); }, {"watch.ordered"}},
      {"etcd spreads a revision over two responses",
       [=](Trace* t) {
         const std::size_t i = Find(*t, store, 3);
         ASSERT_LT(i, t->events.size());
         Set(t, store, 4, "rv", Value::Of(t->events[i].Int("rv")));
       },
       {"watch.atomic"}},
      {"a revision that no commit has",
       [=](Trace* t) { Set(t, pods, 3, "rv", Value::Of(std::int64_t{987654})); },
       {"watch.reliable", "resume.reliable", "watch.ordered", "resume.ordered"}},
      {"an update told as a creation",
       [=](Trace* t) {
         Set(t, DeliverTo(kKcm, "pods", "MODIFIED"), 0, "type", Value::Of("ADDED"));
       },
       {"watch.reliable"}},
      {"a creation told as an update",
       [=](Trace* t) { Set(t, created, 0, "type", Value::Of("MODIFIED")); },
       {"watch.reliable"}},
      {"another object's uid",
       [=](Trace* t) { Set(t, pods, 3, "uid", Value::Of("someone")); },
       {"watch.reliable"}},
      {"a bookmark ahead of the events (15220)",
       [=](Trace* t) { Bookmark(t, pods, 3, 0, false); },
       {"watch.bookmarkable"}},
      {"etcd's progress ahead of the events",
       [=](Trace* t) { Bookmark(t, store, 3, 0, false); },
       {"watch.bookmarkable"}},
      {"a bookmark goes back",
       [=](Trace* t) { Bookmark(t, pods, 3, -1, true); },
       {"watch.bookmarkable"}},
      {"a bookmark covers what never comes",
       [=](Trace* t) {
         Bookmark(t, pods, 3, 0, false);
         t->events.erase(
             std::remove_if(t->events.begin() + static_cast<std::ptrdiff_t>(Find(*t, pods, 3)),
                            t->events.end(), pods),
             t->events.end());
       },
       {"watch.reliable"}},
      {"a bookmark covers what never comes, and nothing else does",
       [=](Trace* t) {
         Bookmark(t, pods, 0, 0, false);
         std::erase_if(t->events, pods);
       },
       {"watch.resumable", "watch.reliable"}},
      {"a deletion with the object's last revision (58545)",
       [=](Trace* t) {
         const std::size_t i = Find(*t, deleted);
         ASSERT_LT(i, t->events.size());
         std::int64_t last = 0;
         for (std::size_t j = 0; j < i; ++j)
           if (pods(t->events[j]) && t->events[j].Text("uid") == t->events[i].Text("uid"))
             last = t->events[j].Int("rv");
         SetField(&t->events[i], "rv", Value::Of(last));
       },
       {"watch.unique", "resume.unique"}},
      {"an event from before the start",
       [=](Trace* t) {
         Record early = t->events[Find(*t, store, 0)];
         const Trace& whole = *t;
         const std::size_t node = Find(whole, [&](const Record& r) {
           return r.kind == sim::EventKind::kWatch && r.Text("state") == "open" &&
                  r.Get("stream") == early.Get("stream") && r.Text("server") == "etcd";
         });
         ASSERT_LT(node, t->events.size());
         // The watch claims to begin after its first event.
         SetField(&t->events[node], "rv", Value::Of(std::to_string(early.Int("rv") + 1)));
       },
       {"watch.resumable"}},
  };
}

// STORE-64 CLIENT-30
TEST(WatchMutants, EachIsCaught) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    const Trace base = Recorded("scale", compat);
    ASSERT_EQ(Violated(base), std::set<std::string>()) << Messages(base);
    for (const WatchRow& row : WatchRows()) {
      Trace mutant = base;
      row.change(&mutant);
      const std::set<std::string> violated = Violated(mutant);
      for (const std::string& oracle : row.caught)
        EXPECT_TRUE(violated.count(oracle) == 1)
            << compat << ": " << row.what << ": " << oracle << " is silent\n"
            << Messages(mutant);
    }
  }
}

// A violation names the guarantee, the watch and the first event.
TEST(WatchMutants, TheFindingNamesEventWatchAndObject) {
  Trace mutant = Recorded("scale", "1.30");
  const Is pods = DeliverTo(kKcm, "pods");
  const Record dropped = mutant.events[Find(mutant, pods, 3)];
  const std::uint64_t next = mutant.events[Find(mutant, pods, 4)].seq;
  Drop(&mutant, pods, 3);
  const auto checker = CheckTrace(mutant, {"watch.reliable"});
  ASSERT_TRUE(checker.ok());
  ASSERT_EQ((*checker)->findings().size(), 1u);
  const Finding& f = (*checker)->findings()[0];
  EXPECT_EQ(f.violation.first, next);
  EXPECT_EQ(f.who, kKcm);
  EXPECT_EQ(f.violation.objects,
            std::vector<std::string>{"pods/default/" + std::string(dropped.Text("name"))});
  EXPECT_NE(f.violation.message.find("kube-controller-manager's watch"), std::string::npos);
  EXPECT_NE(f.violation.message.find("did not come before"), std::string::npos);
}

}  // namespace
}  // namespace ksim::check
