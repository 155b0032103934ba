// The oracles forget of a long run all but what somebody can still ask for.
#include <gtest/gtest.h>

#include "ksim/check/collection.h"
#include "ksim/check/commit_history.h"
#include "ksim/sim/decisions.h"
#include "tests/check/recorded.h"

namespace ksim::check {
namespace {

// The same commits of pods twice: in a history that forgets, and in one that remembers all.
class TwoHistories {
 public:
  explicit TwoHistories(std::uint64_t seed) : decisions_(seed, {}, nullptr) {}

  std::uint32_t Draw(std::uint32_t n) {
    return decisions_.Draw(decisions_.Site("test"), draws_++, n);
  }

  // Creates, moves or deletes one of a few pods.
  void Commit() {
    const std::size_t pod = Draw(8);
    Value& now = pods_[pod];
    const std::string name = "p" + std::to_string(pod), ns = pod % 2 == 0 ? "a" : "b";
    Observation o;
    o.kind = sim::EventKind::kCommit;
    o.seq = ++seq_;
    o.rv = ++revision_;
    o.resource = "pods";
    o.ns = ns;
    o.name = name;
    o.object = api::ObjectHash("pods", ns, name);
    const Value before = now;
    const bool deletes = !before.is_null() && Draw(3) == 0;
    o.op = deletes ? CommitOp::kDelete : before.is_null() ? CommitOp::kCreate : CommitOp::kUpdate;
    now = deletes ? Value()
                  : value::Obj({{"metadata", value::Obj({{"uid", Value::Of(name)}})},
                                {"spec", value::Obj({{"nodeName", Value::Of(Node())}})}});
    o.before = &before;
    o.after = &now;
    forgets.Take(o);
    remembers.Take(o);
  }

  std::string Node() { return "n" + std::to_string(Draw(3)); }
  std::int64_t revision() const { return revision_; }

  CommitHistory forgets, remembers;

 private:
  sim::Decisions decisions_;
  std::uint64_t draws_ = 0, seq_ = 0;
  std::int64_t revision_ = 1;
  Value pods_[8];
};

std::string Text(const std::vector<const CommittedChange*>& content) {
  std::string out;
  for (const CommittedChange* c : content)
    out += c->Name() + "@" + std::to_string(c->revision) + " ";
  return out;
}

TEST(Forgetting, WhatCanStillBeAskedForIsAnsweredAsBefore) {
  const Collection collections[] = {{"pods", "", "", "", ""},
                                    {"pods", "a", "", "", ""},
                                    {"pods", "b", "p3", "", ""},
                                    {"pods", "", "", "", "spec.nodeName=n1"}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TwoHistories run(seed);
    for (int round = 0; round < 40; ++round) {
      for (std::uint32_t i = 0, n = run.Draw(12) + 1; i < n; ++i) run.Commit();
      const std::size_t held = run.Draw(40) + static_cast<std::size_t>(round) * 5;
      run.forgets.Forget(run.revision() - run.Draw(20), {{Hash64("pods"), held}});
      const ResourceChanges& some = run.forgets.OfHash(Hash64("pods"));
      const ResourceChanges& all = run.remembers.OfHash(Hash64("pods"));
      ASSERT_EQ(some.end(), all.end());
      ASSERT_LE(some.kept, 8u) << "no more than there are pods";
      for (std::size_t at = some.first; at < some.end(); ++at)
        ASSERT_EQ(some.at(at)->revision, all.at(at)->revision);
      for (std::int64_t revision = some.floor; revision <= run.revision(); ++revision) {
        ASSERT_EQ(some.After(revision), all.After(revision));
        for (const Collection& c : collections) {
          ASSERT_EQ(Text(c.ContentAt(run.forgets, revision)),
                    Text(c.ContentAt(run.remembers, revision)))
              << c.ToString() << " at " << revision << " of seed " << seed;
          const std::size_t from = some.After(revision);
          ASSERT_EQ(c.FirstIn(run.forgets, from, some.end()),
                    c.FirstIn(run.remembers, from, all.end()))
              << c.ToString();
        }
      }
      for (const CommittedChange* c : all.list) {
        const CommittedChange* known = run.forgets.Commit(c->object, c->revision);
        ASSERT_TRUE(known != nullptr || run.forgets.MayLack(c->revision)) << c->Name();
        if (known != nullptr) {
          ASSERT_EQ(known->seq, c->seq);
        }
        if (c->after.is_null() || run.remembers.Newest(c->object) != c) continue;
        ASSERT_NE(known, nullptr) << "what is there is not forgotten: " << c->Name();
      }
    }
  }
}

struct Sizes {
  Sizes() = default;
  std::size_t commits = 0, streams = 0, reads = 0;
};

Sizes SizesAfter(const std::string& time) {
  scenario::LoadOptions options;
  options.read = [&time](const std::string&) -> absl::StatusOr<std::string> {
    return "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: idle}\n"
           "spec: {until: " +
           time + ", limit: {time: 100h}}\n";
  };
  scenario::RunnerOptions runner_options;
  runner_options.record = false;
  scenario::Runner runner(scenario::Load({"idle.yaml"}, options).scenarios.at(0),
                          std::move(runner_options));
  EXPECT_EQ(runner.Run().exit_code, 0);
  const Facts& facts = runner.checker().facts();
  Sizes sizes;
  sizes.commits = facts.history().known();
  sizes.streams = facts.streams().size();
  sizes.reads = facts.reads();
  return sizes;
}

// Counts, not bytes: an idle cluster of three nodes renews its leases and its watches for ever.
TEST(Forgetting, AnIdleClusterDoesNotGrow) {
  const Sizes hour = SizesAfter("1h"), later = SizesAfter("5h");
  EXPECT_GT(hour.commits, 100u);
  EXPECT_LT(hour.commits, 400u) << "ten minutes of commits, and a cluster's objects";
  EXPECT_LE(later.commits, hour.commits + hour.commits / 10);
  EXPECT_LE(later.streams, hour.streams + hour.streams / 10);
  EXPECT_LE(later.reads, hour.reads + hour.reads / 10);
}

// An hour after the beginning, when most has been forgotten, a lost event is found as at first.
TEST(Forgetting, WhatGoesWrongLateIsFound) {
  const Trace honest = RunOf(
      "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: late}\n"
      "spec:\n  until: 61m\n  limit: {time: 2h}\n  cluster: {nodes: 1}\n"
      "  steps:\n"
      "  - {at: 0s, create: {document: Pod/a}}\n"
      "  - {at: 60m, label: {resource: pods/a, set: {x: '1'}}}\n"
      "  - {at: 60m10s, label: {resource: pods/a, set: {x: '2'}, overwrite: true}}\n"
      "---\n"
      "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, image: "
      "nginx}]}}\n",
      "1.30");
  EXPECT_EQ(Messages(honest), "");
  Trace mutant = honest;
  std::size_t last = mutant.events.size();
  const Is told = DeliverTo("kubelet/node-1", "pods", "MODIFIED");
  for (std::size_t i = 0, n = 0; i < mutant.events.size(); ++i)
    if (told(mutant.events[i]) && ++n > 0) last = i;
  ASSERT_LT(last, mutant.events.size());
  ASSERT_GT(mutant.events[last].t, Minutes(60).ns());
  // The one before the last never comes.
  std::size_t lost = last - 1;
  while (!told(mutant.events[lost])) --lost;
  mutant.events[lost].kind = sim::EventKind::kStage;
  EXPECT_TRUE(Violated(mutant).contains("watch.reliable")) << Messages(mutant);
  EXPECT_TRUE(Violated(mutant).contains("resume.reliable")) << Messages(mutant);
}

// A guest's watch of ConfigMaps whose events arrive after its server closed it, and after etcd
// compacted (a partition that is longer than timeoutSeconds). A guest has no reflector of ours.
class LateArrivals {
 public:
  LateArrivals() {
    for (int i = 0; i < 5; ++i) Commit();
    Observation asks = New(sim::EventKind::kRequest);
    asks.actor = "guest";
    asks.verb = "watch";
    asks.resource = "configmaps";
    asks.request = 1;
    checker_.Take(asks);
    Watch(true);
  }

  // ConfigMap a, at the next revision.
  void Commit() {
    Observation o = New(sim::EventKind::kCommit);
    const Value before = now_;
    o.rv = ++revision_;
    o.resource = "configmaps";
    o.ns = "default";
    o.name = "a";
    o.object = api::ObjectHash("configmaps", "default", "a");
    o.op = before.is_null() ? CommitOp::kCreate : CommitOp::kUpdate;
    now_ = value::Obj({{"metadata", value::Obj({{"uid", Value::Of("u")}})},
                       {"data", value::Obj({{"n", Value::Of(revision_)}})}});
    o.before = &before;
    o.after = &now_;
    checker_.Take(o);
  }

  void Watch(bool open) {
    Observation o = New(sim::EventKind::kWatch);
    o.open = open;
    o.stream = 1;
    o.server = "kube-apiserver-0";
    o.client = "guest";
    o.request = 1;
    o.resource = "configmaps";
    o.rv_text = "6";
    checker_.Take(o);
  }

  void Compact(std::int64_t revision) {
    Observation o = New(sim::EventKind::kCompact);
    o.rv = revision;
    checker_.Take(o);
  }

  void Deliver(std::int64_t revision) {
    Observation o = New(sim::EventKind::kDeliver);
    o.actor = "guest";
    o.stream = 1;
    o.type = api::WatchEventType::kModified;
    o.resource = "configmaps";
    o.ns = "default";
    o.name = "a";
    o.uid = "u";
    o.object = api::ObjectHash("configmaps", "default", "a");
    o.rv = revision;
    checker_.Take(o);
  }

  std::string Found() {
    std::string out;
    for (const Finding& f : checker_.findings()) out += std::string(f.violation.oracle) + "\n";
    return out;
  }

 private:
  Observation New(sim::EventKind kind) {
    Observation o;
    o.seq = ++seq_;
    o.kind = kind;
    return o;
  }

  Checker checker_{{"watch.unique", "watch.reliable", "watch.ordered"}, api::Compat::k1_30};
  Value now_;
  std::int64_t revision_ = 1;
  std::uint64_t seq_ = 0;
};

// Found by `ksim fuzz docs/examples/guests/finalizer/finalizer.yaml`, seed 21.
TEST(Forgetting, EventsThatArriveAfterTheirServerClosedTheWatchAreNoRepetition) {
  LateArrivals late;  // from revision 6
  for (int i = 0; i < 3; ++i) late.Commit();
  late.Watch(false);
  late.Compact(8);
  late.Deliver(7);
  late.Deliver(8);
  late.Deliver(9);
  EXPECT_EQ(late.Found(), "");
}

TEST(Forgetting, AnEventThatIsLostAfterTheWatchWasClosedIsMissed) {
  LateArrivals late;
  for (int i = 0; i < 3; ++i) late.Commit();
  late.Watch(false);
  late.Compact(8);
  late.Deliver(7);
  late.Deliver(9);
  EXPECT_EQ(late.Found(), "watch.reliable\n");
}

TEST(Forgetting, EventsThatArriveAfterAllThatWasForgottenAreNotJudged) {
  LateArrivals late;
  for (int i = 0; i < 3; ++i) late.Commit();
  late.Watch(false);
  late.Commit();
  late.Compact(10);  // beyond the end of the stream: nobody holds what it tells of
  late.Deliver(7);
  late.Deliver(8);
  late.Deliver(9);
  EXPECT_EQ(late.Found(), "");
}

}  // namespace
}  // namespace ksim::check
