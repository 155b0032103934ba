// Invariants in a campaign's run, in a run that is cut short, and in one that its time ends.
#include <gtest/gtest.h>

#include "recorded.h"

namespace ksim::check {
namespace {

constexpr std::int64_t kOneSecond = 1'000'000'000;

Invariant InvariantOf(InvariantKind kind, std::string expression) {
  Invariant i;
  i.name = "it";
  i.resource = "configmaps";
  i.kind = kind;
  i.expression = std::move(expression);
  return i;
}

Invariant LeadsTo() {
  Invariant i = InvariantOf(InvariantKind::kLeadsTo, "object.n == 1");
  i.then = "object.n == 2";
  i.within = Seconds(5);
  return i;
}

// A run of one ConfigMap, told event by event.
class OneConfigMap {
 public:
  OneConfigMap(Invariant invariant, bool campaign) {
    InvariantSet set;
    set.list.push_back(std::move(invariant));
    set.campaign = campaign;
    checker_ = std::make_unique<Checker>(std::vector<std::string>(), kNewestCompat, set);
  }

  OneConfigMap& Write(std::int64_t seconds, std::int64_t n, std::uint64_t request = 0) {
    const Value before = now_;
    now_ = value::Obj({{"n", Value::Of(n)}});
    Observation o = At(sim::EventKind::kCommit, seconds);
    o.rv = ++revision_;
    o.resource = "configmaps";
    o.ns = "default";
    o.name = "a";
    o.object = api::ObjectHash("configmaps", "default", "a");
    o.op = before.is_null() ? CommitOp::kCreate : CommitOp::kUpdate;
    o.request = request;
    o.before = &before;
    o.after = &now_;
    checker_->Take(o);
    return *this;
  }
  OneConfigMap& FailStep(std::int64_t seconds) {
    Observation o = At(sim::EventKind::kStep, seconds);
    o.state = "end";
    o.result = "error: no such thing";
    checker_->Take(o);
    return *this;
  }
  // kubectl gives a request up.
  OneConfigMap& GiveUp(std::int64_t seconds, std::uint64_t request) {
    Observation o = At(sim::EventKind::kResponse, seconds);
    o.actor = "kubectl";
    o.request = request;
    o.lost = true;
    checker_->Take(o);
    return *this;
  }
  // A request of a sync of the Deployment controller is refused, and it drops the key.
  OneConfigMap& DropKey(std::int64_t seconds) {
    Observation o = At(sim::EventKind::kReconcile, seconds);
    o.actor = "kube-controller-manager/deployment";
    o.target = "default/web";
    o.state = "begin";
    checker_->Take(o);
    Observation refused = At(sim::EventKind::kResponse, seconds);
    refused.actor = o.actor;
    refused.code = 500;
    checker_->Take(refused);
    Observation end = At(sim::EventKind::kReconcile, seconds);
    end.actor = o.actor;
    end.target = o.target;
    end.state = "end";
    end.result = "dropped after error: it was refused";
    checker_->Take(end);
    return *this;
  }

  // How many violations there are after an end: quiet, or of another kind.
  std::size_t End(std::int64_t seconds, bool quiet, bool cut = false) {
    RunEnd end;
    end.t = seconds * kOneSecond;
    end.quiet = quiet;
    end.cut = cut;
    checker_->Finish(end);
    return checker_->findings().size();
  }
  std::string why() const { return checker_->invariants().front()->WhyNot(); }

 private:
  Observation At(sim::EventKind kind, std::int64_t seconds) {
    Observation o;
    o.kind = kind;
    o.seq = ++seq_;
    o.t = seconds * kOneSecond;
    return o;
  }

  std::unique_ptr<Checker> checker_;
  Value now_;
  std::uint64_t seq_ = 0;
  std::int64_t revision_ = 1;
};

// G-IN5.
TEST(InvariantsInACampaign, NothingMustComeInAPromisedTime) {
  EXPECT_EQ(OneConfigMap(LeadsTo(), false).Write(1, 1).Write(20, 2).End(30, true), 1u);
  EXPECT_EQ(OneConfigMap(LeadsTo(), true).Write(1, 1).Write(20, 2).End(30, true), 0u);
  EXPECT_EQ(OneConfigMap(LeadsTo(), true).Write(1, 1).Write(20, 3).End(30, true), 1u);
  EXPECT_EQ(OneConfigMap(LeadsTo(), true).Write(1, 1).End(30, false), 0u);
}

// G-IN5: exactly at the deadline is in time; after a run that its time ended it may still come.
TEST(InvariantsInACampaign, TheDeadlineIsTheLastMoment) {
  EXPECT_EQ(OneConfigMap(LeadsTo(), false).Write(1, 1).Write(6, 2).End(30, true), 0u);
  EXPECT_EQ(OneConfigMap(LeadsTo(), false).Write(1, 1).Write(7, 2).End(30, true), 1u);
  EXPECT_EQ(OneConfigMap(LeadsTo(), false).Write(1, 1).End(6, false), 0u);
  EXPECT_EQ(OneConfigMap(LeadsTo(), false).Write(1, 1).End(7, false), 1u);
  EXPECT_EQ(OneConfigMap(LeadsTo(), false).Write(1, 1).End(6, true), 1u);
}

// G-IN4.
TEST(InvariantsInACampaign, WhatStepsDidNotBringAboutIsNotAskedOfTheSet) {
  const Invariant set = InvariantOf(InvariantKind::kFinally, "objects.all(o, o.n == 2)");
  const Invariant each = InvariantOf(InvariantKind::kFinally, "object.n == 2");
  EXPECT_EQ(OneConfigMap(set, true).Write(1, 1).End(30, true), 1u);
  EXPECT_EQ(OneConfigMap(set, false).Write(1, 1).FailStep(2).End(30, true), 1u);
  OneConfigMap failed(set, true);
  EXPECT_EQ(failed.Write(1, 1).FailStep(2).End(30, true), 0u);
  EXPECT_EQ(failed.why(), "the steps of the campaign's run did not come true, each once");
  EXPECT_EQ(OneConfigMap(set, true).GiveUp(1, 7).Write(2, 1, 7).End(30, true), 0u);
  EXPECT_EQ(OneConfigMap(set, true).GiveUp(1, 7).Write(2, 1, 8).End(30, true), 1u);
  EXPECT_EQ(OneConfigMap(each, true).Write(1, 1).FailStep(2).End(30, true), 1u);
  const Invariant once = InvariantOf(InvariantKind::kEventually, "count == 2");
  EXPECT_EQ(OneConfigMap(once, true).Write(1, 1).FailStep(2).End(30, true), 0u);
}

// FUZZ-08
TEST(InvariantsInACampaign, WhatAControllerGaveUpIsAskedOfNoObject) {
  const Invariant each = InvariantOf(InvariantKind::kFinally, "object.n == 2");
  EXPECT_EQ(OneConfigMap(each, true).Write(1, 1).End(30, true), 1u);
  EXPECT_EQ(OneConfigMap(each, false).Write(1, 1).DropKey(2).End(30, true), 1u);
  OneConfigMap dropped(each, true);
  EXPECT_EQ(dropped.Write(1, 1).DropKey(2).End(30, true), 0u);
  EXPECT_EQ(dropped.why(), "a controller was led to leave its work undone");
  EXPECT_EQ(OneConfigMap(LeadsTo(), true).Write(1, 1).DropKey(2).End(30, true), 0u);
  const Invariant always = InvariantOf(InvariantKind::kAlways, "object.n == 2");
  EXPECT_EQ(OneConfigMap(always, true).DropKey(1).Write(2, 1).End(30, true), 1u);
}

// G-IN4: what is judged at the end is not judged where there is none.
TEST(InvariantsInACampaign, ARunThatIsCutShortHasNoEnd) {
  for (const InvariantKind kind : {InvariantKind::kFinally, InvariantKind::kEventually})
    EXPECT_EQ(
        OneConfigMap(InvariantOf(kind, "object.n == 2"), false).Write(1, 1).End(30, true, true),
        0u);
  EXPECT_EQ(OneConfigMap(LeadsTo(), false).Write(1, 1).End(3, true, true), 0u);
}

}  // namespace
}  // namespace ksim::check
