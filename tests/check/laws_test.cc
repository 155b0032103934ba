// Laws of traces (check/trace_law.h): each row alters a trace of a correct run in one place, as a
// careless or a lying recorder would, and names the contradiction that check tells.
#include <gtest/gtest.h>

#include "ksim/check/trace_law.h"
#include "ksim/check/verdict.h"
#include "recorded.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

// The contradictions that check tells of a trace, a line each.
std::string Contradictions(const Trace& t) {
  const auto read = trace::ParseTrace(trace::FormatTrace(t, false));
  if (!read.ok()) return std::string(read.status().message());
  const auto checker = CheckTrace(*read, {"*"});
  if (!checker.ok()) return std::string(checker.status().message());
  std::string out;
  for (const Verdict& v : VerdictsOf(**checker, *read)) {
    if (v.oracle != kTraceConsistent) continue;
    for (const Finding& f : v.findings) out += f.violation.message + "\n";
  }
  return out;
}

Is OfKind(Kind kind) {
  return [kind](const Record& r) { return r.kind == kind; };
}

Is Both(Is a, Is b) {
  return [a = std::move(a), b = std::move(b)](const Record& r) { return a(r) && b(r); };
}

Is With(std::string field, std::string text) {
  return [=](const Record& r) { return r.Text(field) == text; };
}

Is WithFlag(std::string field) {
  return [=](const Record& r) { return r.Get(field).AsBool(); };
}

Is Commit(const char* op) { return Both(OfKind(Kind::kCommit), With("op", op)); }
Is OfServer(Kind kind, const char* type) {  // not of etcd
  return Both(Both(OfKind(kind), With("type", type)), With("server", ""));
}
// The answer to a list with items, or to a read of one object.
Is Read(bool list) {
  return Both(OfKind(Kind::kResponse), [list](const Record& r) {
    return (r.Int("items") > 0) == list && !r.Text("from").empty();
  });
}
Is OfList(bool first) {  // handlers of a relist; `first`: the first of its informer
  return Both(OfKind(Kind::kHandler), WithFlag(first ? "initial" : "tombstone"));
}

using Edit = void (*)(Trace* t, std::size_t i);

void Set(Trace* t, std::size_t i, std::string_view field, Value v) {
  ASSERT_LT(i, t->events.size());
  SetField(&t->events[i], field, std::move(v));
}

template <int by>
void AddTo(Trace* t, std::size_t i, std::string_view field) {
  Set(t, i, field, Value::Int(t->events.at(i).Int(field) + by));
}

void Flip(Trace* t, std::size_t i, std::string_view field) {
  Set(t, i, field, Value::Bool(!t->events.at(i).Get(field).AsBool()));
}

// The place of a commit's n-th change whose member is set.
void SetChange(Trace* t, std::size_t i, std::size_t n, std::string_view member, Value v) {
  std::vector<Value> changes(t->events.at(i).Get("changed").items().begin(),
                             t->events.at(i).Get("changed").items().end());
  changes.at(n) = changes.at(n).Set(member, std::move(v));
  Set(t, i, "changed", Value::Array(std::move(changes)));
}

// Takes an event out; numbers that name events follow.
void Drop(Trace* t, std::size_t i) {
  t->events.erase(t->events.begin() + static_cast<std::ptrdiff_t>(i));
  const std::uint64_t seq = i + 1;
  for (Record& r : t->events) {
    if (r.seq > seq) --r.seq;
    if (r.cause > seq) --r.cause;
  }
  t->end->events = t->events.size();
}

// Lets an event happen before the one that led to it.
void MoveBeforeItsCause(Trace* t, std::size_t i) {
  const std::uint64_t seq = t->events.at(i).seq, cause = t->events.at(i).cause;
  std::rotate(t->events.begin() + static_cast<std::ptrdiff_t>(cause - 1),
              t->events.begin() + static_cast<std::ptrdiff_t>(seq - 1),
              t->events.begin() + static_cast<std::ptrdiff_t>(seq));
  const auto moved = [&](std::uint64_t s) {
    return s == seq ? cause : s >= cause && s < seq ? s + 1 : s;
  };
  for (Record& r : t->events) {
    r.seq = moved(r.seq);
    r.cause = moved(r.cause);
  }
}

struct Row {
  const char* name;
  Is where;  // the last such event is altered
  Edit edit;
  const char* told;  // part of a line
};

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows{
      // --- the store ---
      {"a commit's old value",
       Both(Commit("update"),
            [](const Record& r) { return r.Get("changed").at(0).Get("old").is_int(); }),
       [](Trace* t, std::size_t i) { SetChange(t, i, 0, "old", Value::Int(77)); },
       " was 77, says the commit; the store had "},
      {"an old value of what was not there",
       Both(Commit("update"), [](const Record& r) { return !r.Get("changed").at(0).Has("old"); }),
       [](Trace* t, std::size_t i) { SetChange(t, i, 0, "old", Value::Of("x")); },
       "the store had nothing"},
      {"a uid changed by an update", Commit("update"),
       [](Trace* t, std::size_t i) {
         SetChange(t, i, 0, "path", Value::Of("metadata.uid"));
         SetChange(t, i, 0, "new", Value::Of("another"));
       },
       "the object's uid is \"another\", not "},
      {"another uid beside an update", Commit("update"),
       [](Trace* t, std::size_t i) { Set(t, i, "uid", Value::Of("another")); },
       "the uid is \"another\", not "},
      {"a revision that is left out", Commit("update"),
       [](Trace* t, std::size_t i) { AddTo<1>(t, i, "revision"); }, " after "},
      {"the revision before a commit", Commit("update"),
       [](Trace* t, std::size_t i) { AddTo<-1>(t, i, "prevRv"); }, "prevRv is "},
      {"a creation of what is there", Commit("update"),
       [](Trace* t, std::size_t i) { Set(t, i, "op", Value::Of("create")); },
       "creates what is there"},
      // --- the order of events ---
      {"time that runs backwards", OfKind(Kind::kResponse),
       [](Trace* t, std::size_t i) { t->events[i].t = t->events[i - 1].t - 1; },
       "ns, that of the event before is "},
      {"a cause that comes later", OfKind(Kind::kResponse),
       [](Trace* t, std::size_t i) { t->events[i].cause = t->events[i].seq + 1; },
       ", is no earlier event"},
      {"a handler before its delivery", Both(OfKind(Kind::kHandler), With("type", "update")),
       MoveBeforeItsCause, ", is no earlier event"},
      {"a delivery before it was sent", OfServer(Kind::kDeliver, "MODIFIED"), MoveBeforeItsCause,
       "nothing like it was put on the wire"},
      // --- watches ---
      {"a bookmark ahead of the store", OfServer(Kind::kEvent, "BOOKMARK"),
       [](Trace* t, std::size_t i) { AddTo<1000>(t, i, "rv"); }, ", the store is at "},
      {"the name on the wire beside the delivery", OfServer(Kind::kEvent, "MODIFIED"),
       [](Trace* t, std::size_t i) { Set(t, i, "name", Value::Of("another")); },
       "the name is \"another\", not "},
      {"the revision on the wire beside the delivery", OfServer(Kind::kEvent, "MODIFIED"),
       [](Trace* t, std::size_t i) { AddTo<-1>(t, i, "rv"); }, "rv beside what was sent is "},
      {"the type of a delivery beside the wire", OfServer(Kind::kDeliver, "MODIFIED"),
       [](Trace* t, std::size_t i) { Set(t, i, "type", Value::Of("ADDED")); },
       "type beside what was sent is \"ADDED\", not \"MODIFIED\""},
      {"an event that etcd did not tell",
       Both(Both(OfKind(Kind::kEvent), With("server", "etcd")), With("type", "MODIFIED")),
       [](Trace* t, std::size_t i) { Set(t, i, "type", Value::Of("DELETED")); },
       "the type is \"DELETED\", not \"MODIFIED\""},
      // --- handlers ---
      {"a tombstone that is none", OfList(false),
       [](Trace* t, std::size_t i) { Flip(t, i, "tombstone"); },
       "a deletion that nobody delivered is told by a tombstone"},
      {"a tombstone of a deletion that was delivered",
       Both(Both(OfKind(Kind::kHandler), With("type", "delete")),
            [](const Record& r) { return !r.Get("tombstone").AsBool(); }),
       [](Trace* t, std::size_t i) { Set(t, i, "tombstone", Value::Bool(true)); },
       "a tombstone, but the deletion was delivered"},
      {"an initial flag taken away", OfList(true),
       [](Trace* t, std::size_t i) { Flip(t, i, "initial"); },
       "not initial, but it is of the informer's first list"},
      {"an initial flag of what came later", Both(OfKind(Kind::kHandler), With("type", "add")),
       [](Trace* t, std::size_t i) { Set(t, i, "initial", Value::Bool(true)); },
       "initial, but it "},
      // --- answers ---
      {"an answer that is left out",
       Both(OfKind(Kind::kResponse), [](const Record& r) { return r.t < 10'000'000'000; }), Drop,
       "the request has no response, and its sender did not end"},
      {"an answer that says it was lost", OfKind(Kind::kResponse),
       [](Trace* t, std::size_t i) { Flip(t, i, "lost"); }, "lost is true with the reason \"\""},
      {"the revision of an answer", Both(OfKind(Kind::kResponse), With("from", "store")),
       [](Trace* t, std::size_t i) { AddTo<1>(t, i, "rv"); }, ""},
      {"the items of a list", Read(true), [](Trace* t, std::size_t i) { AddTo<1>(t, i, "items"); },
       ""},
      {"a refusal that nobody refused",
       Both(OfKind(Kind::kResponse), [](const Record& r) { return r.Int("code") == 200; }),
       [](Trace* t, std::size_t i) {
         Set(t, i, "code", Value::Int(409));
         Set(t, i, "reason", Value::Of("Conflict"));
       },
       "code 409, but "},
      // --- informers ---
      {"a relist's revision", Both(OfKind(Kind::kRelist), With("reason", "expired")),
       [](Trace* t, std::size_t i) { AddTo<-1>(t, i, "gotRv"); }, "gotRv is "},
      {"a cache's items in the middle of the run",
       Both(OfKind(Kind::kCache), [](const Record& r) { return r.cause != 0; }),
       [](Trace* t, std::size_t i) { AddTo<1>(t, i, "items"); }, ""},
      {"a cache's hash in the middle of the run",
       Both(OfKind(Kind::kCache),
            [](const Record& r) { return r.cause != 0 && r.Int("items") > 0; }),
       [](Trace* t, std::size_t i) { Set(t, i, "itemsHash", Value::Of("0123456789abcdef")); },
       "the items are not those of revision "},
      {"a cache's revision in the middle of the run",
       Both(OfKind(Kind::kCache), [](const Record& r) { return r.cause != 0; }),
       [](Trace* t, std::size_t i) { AddTo<-1>(t, i, "rv"); }, "rv, beside what the informer "},
      // --- the run ---
      {"a reconcile's result", Both(OfKind(Kind::kReconcile), With("state", "end")),
       [](Trace* t, std::size_t i) { Set(t, i, "result", Value::Of("fine")); },
       "a reconcile does not end with \"fine\""},
      {"the step of another file", Both(OfKind(Kind::kStep), With("state", "begin")),
       [](Trace* t, std::size_t i) { Set(t, i, "target", Value::Of("Pod/x")); },
       "the target is \"Pod/x\", not "},
      {"the fault of another file", OfKind(Kind::kFault),
       [](Trace* t, std::size_t i) { Set(t, i, "target", Value::Of("node-9")); },
       "the target is \"node-9\", not "},
      {"what became of the objects", OfKind(Kind::kPhase),
       [](Trace* t, std::size_t) { t->end->state = std::string(32, '0'); },
       "the objects that the commits leave hash to "},
      {"an oracle that is said to have judged", OfKind(Kind::kPhase),
       [](Trace* t, std::size_t) { t->end->judged.emplace_back("atMostOne"); },
       "it says that atMostOne was judged"}};
  return rows;
}

// The scenarios have a tombstone, bookmarks, first lists with objects, faults of both kinds.
const std::vector<Trace>& CorrectRuns() {
  static const std::vector<Trace> runs{Recorded("watch-expired-relist", "1.30"),
                                       Recorded("controller-restart", "1.30"),
                                       Recorded("scale", "1.30")};
  return runs;
}

TEST(Laws, ACorrectRunContradictsNothing) {
  for (const Trace& t : CorrectRuns()) EXPECT_EQ(Contradictions(t), "");
}

// The controller manager's informers resync once in 12 to 24 hours: nothing arrives for that.
TEST(Laws, ALongRunContradictsNothing) {
  const Trace t = RunOf(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: long}
spec:
  until: 24h
  limit: {time: 30h, events: 10M}
  cluster: {nodes: 0}
  steps:
  - create: {document: ReplicaSet/web}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
)",
                        "1.30");
  const auto resync = Both(OfKind(Kind::kHandler), [](const Record& r) {
    return r.Text("type") == "update" && r.Int("rv") == r.Int("oldRv");
  });
  EXPECT_LT(Find(t, resync), t.events.size());
  EXPECT_EQ(Contradictions(t), "");
}

// A server works on a definition in the name of whoever wrote that, or because it was restarted.
TEST(Laws, WhatBecomesOfADefinitionContradictsNothing) {
  for (const char* compat : {"1.30", "1.36"}) {
    EXPECT_EQ(Contradictions(Recorded("policy-refuses-pods", compat)), "") << compat;
    EXPECT_EQ(Contradictions(
                  Recorded("../tests/regress/a-definition-goes-while-informers-watch", compat)),
              "")
        << compat;
  }
}

// No bookmark comes in ten seconds: the fault is skipped when they are over, and not at once.
TEST(Laws, AFaultMayStrikeNothingUntilItsEnd) {
  const Trace t = RunOf(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: nothing-struck}
spec:
  until: 30s
  cluster: {nodes: 1, controllers: [replicaset]}
  faults:
  - {at: 5s, dropBookmark: {client: kube-controller-manager, resource: pods, for: 10s}}
)",
                        "1.30");
  const auto skipped = Both(OfKind(Kind::kFault), With("state", "skipped"));
  ASSERT_LT(Find(t, skipped), t.events.size());
  EXPECT_EQ(t.events[Find(t, skipped)].t, Seconds(15).ns());
  EXPECT_EQ(Contradictions(t), "");
}

// A Deployment whose ReplicaSet cannot be made is given up after fifteen tries.
TEST(Laws, AReconcileMayDropItsKey) {
  const Trace t = Recorded("museum/b17-hash-collision", "1.30");
  const auto dropped = Both(OfKind(Kind::kReconcile), [](const Record& r) {
    return r.Text("result").starts_with("dropped after error: ");
  });
  EXPECT_LT(Find(t, dropped), t.events.size());
  EXPECT_EQ(Contradictions(t), "");
}

TEST(Laws, EachContradictionIsTold) {
  for (const Row& row : Rows()) {
    SCOPED_TRACE(row.name);
    bool altered = false;
    for (const Trace& run : CorrectRuns()) {
      std::size_t place = run.events.size();
      for (std::size_t i = 0; i < run.events.size(); ++i)
        if (row.where(run.events[i])) place = i;
      if (altered || place == run.events.size()) continue;
      altered = true;
      Trace t = run;
      row.edit(&t, place);
      const std::string told = Contradictions(t);
      EXPECT_NE(told, "");
      EXPECT_NE(told.find(row.told), std::string::npos) << told;
    }
    EXPECT_TRUE(altered);
  }
}

}  // namespace
}  // namespace ksim::check
