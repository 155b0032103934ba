#include "ksim/client/leaderelection/leader_election.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/rest/fault_hooks.h"
#include "tests/client/leaderelection/election_fixture.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;

double SecondsBetween(VirtualTime a, VirtualTime b) {
  return static_cast<double>((b - a).ns()) / 1e9;
}

// CLIENT-111, CTRL-C-13
TEST(LeaderElection, DefaultsAndTheirConstraints) {
  const LeaderElectionOptions defaults;
  EXPECT_EQ(defaults.lease_duration, Seconds(15));
  EXPECT_EQ(defaults.renew_deadline, Seconds(10));
  EXPECT_EQ(defaults.retry_period, Seconds(2));
  LeaderCallbacks callbacks;
  callbacks.started = callbacks.stopped = [] {};
  struct Case {
    std::function<void(LeaderElectionOptions&, LeaderCallbacks&)> change;
    std::string problem;
  };
  for (const Case& c :
       std::vector<Case>{{[](auto&, auto&) {}, ""},
                         {[](auto& o, auto&) { o.lease_duration = Seconds(10); },
                          "leaseDuration must be greater than renewDeadline"},
                         {[](auto& o, auto&) { o.retry_period = Seconds(9); },
                          "renewDeadline must be greater than retryPeriod*JitterFactor"},
                         {[](auto& o, auto&) { o.retry_period = Duration(); },
                          "retryPeriod must be greater than zero"},
                         {[](auto&, auto& k) { k.started = nullptr; },
                          "OnStartedLeading callback must not be nil"},
                         {[](auto&, auto& k) { k.stopped = nullptr; },
                          "OnStoppedLeading callback must not be nil"},
                         {[](auto& o, auto&) { o.identity = ""; }, "Lock identity is empty"}}) {
    LeaderElectionOptions options;
    options.identity = "me";
    LeaderCallbacks k = callbacks;
    c.change(options, k);
    EXPECT_EQ(LeaderElectionProblem(options, k, ProfileOf(api::Compat::k1_30)), c.problem);
  }
  LeaderElectionOptions nobody;
  EXPECT_EQ(LeaderElectionProblem(nobody, callbacks, ProfileOf(api::Compat::k1_25)), "");
}

// CLIENT-112, CLIENT-116, CLIENT-117, CTRL-C-13: a candidate tries every 2 s times [1, 2.2).
TEST(LeaderElection, TheFirstMakesTheLeaseAndTheSecondKeepsTrying) {
  for (const api::Compat compat : kAll) {
    LeaderElectionFixture f(compat);
    Candidate& a = f.Start("a");
    f.Advance(Milliseconds(100));
    EXPECT_TRUE(a.leads());
    EXPECT_EQ(f.server.holder(), "a");
    EXPECT_EQ(f.server.transitions(), 0);
    const value::Value spec = f.server.lease.spec();
    EXPECT_EQ(spec.Get("leaseDurationSeconds").AsInt(), 15);
    EXPECT_FALSE(spec.Get("acquireTime").AsString().empty());
    EXPECT_FALSE(spec.Get("renewTime").AsString().empty());
    f.server.log.clear();
    Candidate& b = f.Start("b");
    f.Advance(Minutes(10));
    EXPECT_FALSE(b.leads());
    std::optional<VirtualTime> last;
    double least = 100, most = 0;
    for (const auto& [time, line] : f.server.log) {
      if (!line.starts_with("b ")) continue;
      EXPECT_EQ(line, "b get");
      if (last) least = std::min(least, SecondsBetween(*last, time));
      if (last) most = std::max(most, SecondsBetween(*last, time));
      last = time;
    }
    EXPECT_GE(least, 2.0);
    EXPECT_LT(least, 2.2);
    EXPECT_LT(most, 4.41);
    EXPECT_GT(most, 4.2);
  }
}

// CLIENT-113, CLIENT-116: a renewal every 2 s; since 1.30 without a GET first.
TEST(LeaderElection, ALeaderRenewsEveryTwoSeconds) {
  for (const api::Compat compat : kAll) {
    LeaderElectionFixture f(compat);
    f.Start("a");
    f.Advance(Milliseconds(500));
    const std::string acquired(f.server.lease.spec().Get("acquireTime").AsString());
    const std::string renewed(f.server.lease.spec().Get("renewTime").AsString());
    f.server.log.clear();
    f.Advance(Seconds(2));
    EXPECT_EQ(f.server.Verbs(), compat == api::Compat::k1_25
                                    ? (std::vector<std::string>{"a get", "a update"})
                                    : std::vector<std::string>{"a update"});
    EXPECT_EQ(f.server.lease.spec().Get("acquireTime").AsString(), acquired);
    EXPECT_NE(f.server.lease.spec().Get("renewTime").AsString(), renewed);
    EXPECT_EQ(f.server.transitions(), 0);
  }
}

// CLIENT-116: a leader whose cached version is old gets a conflict, reads and writes again.
TEST(LeaderElection, ARenewalThatConflictsReadsFirst) {
  LeaderElectionFixture f(api::Compat::k1_36);
  Candidate& a = f.Start("a");
  f.Advance(Milliseconds(500));
  f.server.Put("a", 15);
  f.server.log.clear();
  f.Advance(Seconds(2));
  EXPECT_THAT(f.server.Verbs(), ElementsAre("a update", "a get", "a update"));
  EXPECT_TRUE(a.leads());
}

// CLIENT-114, CLIENT-115, CTRL-C-13: a candidate counts the lease duration from the time when it
// first saw the record, whatever times the record has.
TEST(LeaderElection, AnAncientRecordIsWaitedForAllTheSame) {
  struct Case {
    api::Compat compat;
    std::int64_t seconds;  // in the record
    double waits;
  };
  for (const Case& c : {Case{api::Compat::k1_25, 40, 15.0}, Case{api::Compat::k1_30, 40, 40.0},
                        Case{api::Compat::k1_36, 40, 40.0}, Case{api::Compat::k1_36, 5, 5.0}}) {
    LeaderElectionFixture f(c.compat);
    f.server.Put("gone", c.seconds, 3);
    Candidate& a = f.Start("a");
    f.Advance(Minutes(1));
    ASSERT_TRUE(a.started.has_value());
    EXPECT_GE(SecondsBetween(VirtualTime(), *a.started), c.waits);
    EXPECT_LT(SecondsBetween(VirtualTime(), *a.started), c.waits + 4.5);
    EXPECT_EQ(f.server.transitions(), 4);
  }
}

// CLIENT-114: a record with the candidate's own name or with no holder never blocks it.
TEST(LeaderElection, OnesOwnRecordAndAnEmptyOneAreTakenAtOnce) {
  for (const api::Compat compat : kAll) {
    for (const char* holder : {"a", ""}) {
      LeaderElectionFixture f(compat);
      f.server.Put(holder, 15, 2);
      Candidate& a = f.Start("a");
      f.Advance(Milliseconds(100));
      EXPECT_TRUE(a.leads());
      EXPECT_EQ(f.server.transitions(), std::string_view(holder) == "a" ? 2 : 3);
    }
  }
}

// CLIENT-113: the next try comes 2 s after the last success; after 10 s of failed tries the leader
// stops leading.
TEST(LeaderElection, ALeaderThatCannotRenewStopsAfterTwelveSeconds) {
  for (const api::Compat compat : kAll) {
    LeaderElectionFixture f(compat);
    Candidate& a = f.Start("a");
    f.Advance(Seconds(9));
    const VirtualTime last = f.server.log.back().first;
    f.server.silent["a"] = true;
    f.Advance(Seconds(20));
    ASSERT_TRUE(a.stopped.has_value());
    EXPECT_NEAR(SecondsBetween(last, *a.stopped), 12.0, 0.05);
    const std::size_t tries = f.server.log.size();
    f.server.silent.clear();
    f.Advance(Minutes(1));
    EXPECT_EQ(f.server.log.size(), tries) << "no second acquire inside";
    EXPECT_EQ(a.calls.back(), "stopped");
  }
}

// CLIENT-113: a leader that sees another holder does not stop before its deadline.
TEST(LeaderElection, SeeingAnotherHolderItLeadsOnUntilTheDeadline) {
  LeaderElectionFixture f;
  Candidate& a = f.Start("a");
  f.Advance(Seconds(9));
  const VirtualTime last = f.server.log.back().first;
  f.server.Put("b", 15, 1);
  f.Advance(Seconds(5));
  EXPECT_TRUE(a.leads());
  EXPECT_EQ(a.elector->GetLeader(), "b");
  EXPECT_FALSE(a.elector->IsLeader());
  f.Advance(Seconds(10));
  ASSERT_TRUE(a.stopped.has_value());
  EXPECT_NEAR(SecondsBetween(last, *a.stopped), 12.0, 0.05);
}

// CLIENT-119
TEST(LeaderElection, ItsCallsComeInOrderAndStoppedAlways) {
  LeaderElectionFixture f;
  f.server.Put("old", 15);
  Candidate& a = f.Start("a");
  Candidate& never = f.Start("never");
  f.Advance(Seconds(30));
  const bool a_leads = a.leads();
  Candidate& leader = a_leads ? a : never;
  Candidate& other = a_leads ? never : a;
  const std::string name = a_leads ? "a" : "never";
  EXPECT_THAT(leader.calls, ElementsAre("new old", "new " + name, "started"));
  EXPECT_THAT(other.calls, ElementsAre("new old", "new " + name));
  other.elector->Cancel();
  leader.elector->Cancel();
  f.Advance(Seconds(1));
  EXPECT_EQ(other.calls.back(), "stopped");
  EXPECT_EQ(leader.calls.back(), "stopped");
}

// CLIENT-118
TEST(LeaderElection, AReleasedLeaseIsAnybodysAtOnce) {
  for (const api::Compat compat : kAll) {
    LeaderElectionFixture f(compat);
    LeaderElectionOptions options;
    options.release_on_cancel = true;
    Candidate& a = f.Add("a", options);
    a.elector->Start();
    f.Advance(Seconds(1));
    f.server.log.clear();
    a.elector->Cancel();
    f.Advance(Seconds(1));
    EXPECT_EQ(f.server.Verbs(), compat == api::Compat::k1_36
                                    ? (std::vector<std::string>{"a get", "a update"})
                                    : std::vector<std::string>{"a update"});
    EXPECT_EQ(f.server.holder(), "");
    EXPECT_EQ(f.server.lease.spec().Get("leaseDurationSeconds").AsInt(), 1);
    EXPECT_EQ(f.server.transitions(), 0);
    Candidate& b = f.Start("b");
    f.Advance(Milliseconds(100));
    EXPECT_TRUE(b.leads());
    EXPECT_EQ(f.server.transitions(), 1);
  }
}

// CLIENT-113: the first try ends after 3 s. The ticks of the next tries count from its end; in 1.36
// they count from its beginning, and a tick during the try is kept.
TEST(LeaderElection, ATickDuringATryIsKeptOnlyIn136) {
  struct Case {
    api::Compat compat;
    std::vector<int> reads;  // tenths of a second after the renewal began
  };
  for (const Case& c :
       {Case{api::Compat::k1_25, {30, 50, 70, 90}}, Case{api::Compat::k1_30, {30, 50, 70, 90}},
        Case{api::Compat::k1_36, {30, 30, 40, 60, 80}}}) {
    LeaderElectionFixture f(c.compat);
    f.Start("a");
    f.Advance(Seconds(1));
    const VirtualTime renewal = f.server.log.back().first + Seconds(2);
    f.server.silent["a"] = true;
    f.Advance(Milliseconds(3500));
    f.server.silent.clear();
    f.server.Put("b", 15, 1);
    f.server.log.clear();
    f.Advance(Seconds(10));
    std::vector<int> reads;
    for (const auto& [time, line] : f.server.log) {
      EXPECT_EQ(line, "a get");
      reads.push_back(static_cast<int>(SecondsBetween(renewal, time) * 10 + 0.5));
    }
    EXPECT_EQ(reads, c.reads) << static_cast<int>(c.compat);
  }
}

// CLIENT-116: a leader whose record somebody blanked keeps its acquire time from the optimistic
// update that failed (tryAcquireOrRenew sets it only there), unlike a new candidate.
TEST(LeaderElection, ALeaderWhoseRecordWasBlankedTakesItAgain) {
  for (const api::Compat compat : kAll) {
    LeaderElectionFixture f(compat);
    Candidate& a = f.Start("a");
    f.Advance(Milliseconds(500));
    const std::string acquired(f.server.lease.spec().Get("acquireTime").AsString());
    f.server.Put("", 1, 6);
    f.Advance(Seconds(2));
    EXPECT_TRUE(a.leads());
    EXPECT_EQ(f.server.transitions(), 7);
    EXPECT_EQ(f.server.lease.spec().Get("acquireTime").AsString() == acquired,
              compat != api::Compat::k1_25);
  }
}

// CLIENT-118: 1.36 reads before a release, so it blanks a record that another process holds by now,
// and keeps that record's leaseTransitions.
TEST(LeaderElection, ALateReleaseBlanksAForeignRecordOnlyIn136) {
  for (const api::Compat compat : kAll) {
    LeaderElectionFixture f(compat);
    LeaderElectionOptions options;
    options.release_on_cancel = true;
    Candidate& a = f.Add("a", options);
    a.elector->Start();
    f.Advance(Seconds(1));
    f.server.Put("b", 15, 4);
    a.elector->Cancel();
    f.Advance(Seconds(1));
    EXPECT_EQ(f.server.holder(), compat == api::Compat::k1_36 ? "" : "b");
    EXPECT_EQ(f.server.transitions(), 4);
  }
}

// CLIENT-118, CLIENT-119: a process that knows of another leader releases nothing, though 1.36
// reads the record before that check; and a release calls no OnNewLeader.
TEST(LeaderElection, AReleaseUpdatesTheLeaseAndReportsNoNewLeader) {
  for (const api::Compat compat : kAll) {
    for (const bool deposed : {false, true}) {
      LeaderElectionFixture f(compat);
      LeaderElectionOptions options;
      options.release_on_cancel = true;
      Candidate& a = f.Add("a", options);
      a.elector->Start();
      f.Advance(Milliseconds(500));
      if (deposed) f.server.Put("b", 15, 1);
      f.Advance(Seconds(3));
      EXPECT_EQ(a.elector->IsLeader(), !deposed);
      f.server.log.clear();
      a.elector->Cancel();
      f.Advance(Seconds(1));
      std::vector<std::string> sent;
      if (compat == api::Compat::k1_36) sent.push_back("a get");
      if (!deposed) sent.push_back("a update");
      EXPECT_EQ(f.server.Verbs(), sent);
      EXPECT_EQ(f.server.holder(), deposed ? "b" : "");
      std::vector<std::string> calls{"new a", "started", "stopped"};
      if (deposed) calls.insert(calls.begin() + 2, "new b");
      EXPECT_EQ(a.calls, calls);
    }
  }
}

// CLIENT-120, CTRL-C-13: the server commits the renewals, but their answers are lost: no second
// leader arises, and the first one stops. After the lease has expired, the server still takes
// writes of the old leader.
TEST(LeaderElection, AnOldLeadersLateWriteIsAccepted) {
  LeaderElectionFixture f;
  Candidate& a = f.Start("a");
  f.Advance(Seconds(1));
  Candidate& b = f.Start("b");
  f.server.silent["a"] = true;
  f.Advance(Seconds(14));
  ASSERT_TRUE(a.stopped.has_value());
  a.process.Kill();
  f.Advance(Seconds(8));
  ASSERT_TRUE(b.leads());
  EXPECT_GT(*b.started, *a.stopped) << "never two at once";
  // The write does not show that its sender leads no more.
  api::Request late;
  late.client = "a-late";
  late.verb = api::Verb::kUpdate;
  late.body = f.server.lease.ToTree();
  int code = 0;
  f.server.Accept(late, [&](api::Response r) { code = r.status.code; }, nullptr);
  EXPECT_EQ(code, 200);
}

// CLIENT-113, CLIENT-120, CTRL-C-13: a leader that is paused between two polls does not notice:
// another leads by then, and the old one stops ten seconds after it runs again. A leader that is
// paused inside a poll whose deadline passes stops at once.
TEST(LeaderElection, ALeaderThatIsStoppedLeadsBesideTheNext) {
  for (const api::Compat compat : kAll) {
    for (const bool polling : {false, true}) {
      LeaderElectionFixture f(compat);
      FaultHooks hooks(f.sim);
      f.env.faults = &hooks;
      Candidate& a = f.Start("a");
      f.Advance(Seconds(1));
      Candidate& b = f.Start("b");
      if (polling) {
        f.server.silent["a"] = true;
        f.Advance(Milliseconds(1500));
      }
      for (const Access access : {Access::kRead, Access::kWrite})
        hooks.AccessGate("a", access).Close();
      f.Advance(Seconds(40));
      f.server.silent.clear();
      ASSERT_TRUE(b.leads());
      EXPECT_TRUE(a.leads()) << "two at once";
      const VirtualTime resumed = f.sim.now();
      for (const Access access : {Access::kRead, Access::kWrite})
        hooks.AccessGate("a", access).Open();
      f.Advance(Seconds(20));
      ASSERT_TRUE(a.stopped.has_value());
      EXPECT_EQ(*a.stopped - resumed, polling ? Duration() : Seconds(10));
      EXPECT_TRUE(b.leads());
      f.sim.Shutdown();
    }
  }
}

// CLIENT-122
TEST(LeaderElection, IsUnhealthyOnlyWhenItThinksToLeadAndHasNotRenewed) {
  LeaderElectionFixture f;
  Candidate& a = f.Start("a");
  Candidate& b = f.Start("b");
  f.Advance(Seconds(9));
  EXPECT_TRUE(a.elector->Healthy(Seconds(5)));
  f.server.silent["a"] = f.server.silent["b"] = true;
  f.Advance(Seconds(60));
  EXPECT_FALSE(a.elector->Healthy(Seconds(5)));
  EXPECT_TRUE(b.elector->Healthy(Seconds(5)));
}

}  // namespace
}  // namespace ksim::client
