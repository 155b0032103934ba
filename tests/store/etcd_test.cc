// The etcd process: requests by messages, watch streams, its events on the bus, and its own timers.
#include "ksim/store/etcd.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "ksim/sim/digest.h"
#include "ksim/store/etcd_client.h"
#include "ksim/store/events.h"
#include "tests/store/store_fixture.h"

namespace ksim::store {
namespace {

using Lines = std::vector<std::string>;

std::string Describe(const sim::Event& e) {
  switch (e.kind) {
    case sim::EventKind::kCommit: {
      const auto& p = e.payload.As<CommitPayload>();
      return fmt::format("{} {} commit {}.{} {} {} by {} request {}", e.seq, e.actor.name(),
                         p.revision(), p.sub(), ToString(p.op), p.key(), p.by.name(), p.request);
    }
    case sim::EventKind::kCompact: {
      const auto& p = e.payload.As<CompactPayload>();
      return fmt::format("{} {} compact {} by {}", e.seq, e.actor.name(), p.revision, p.by.name());
    }
    case sim::EventKind::kWatch: {
      const auto& p = e.payload.As<StoreWatchPayload>();
      return fmt::format("{} {} watch {} {} {} rv {} [{}]{}", e.seq, e.actor.name(),
                         p.open ? "open" : "close", p.stream, p.client, p.rv, p.options,
                         p.open ? "" : fmt::format(" last {} {}", p.last_rv, p.reason));
    }
    default: {
      const auto& p = e.payload.As<StoreEventPayload>();
      return fmt::format("{} {} {} {}#{} {} {} {} r{} cause {}", e.seq, e.actor.name(),
                         e.kind == sim::EventKind::kEvent ? "event" : "deliver", p.stream, p.n,
                         ToString(p.type), p.key(), p.rv, p.response, e.cause);
    }
  }
}

class EtcdTest : public testing::Test {
 protected:
  EtcdTest()
      : sim(Options()),
        digest(sim.bus()),
        network(sim, sim::LatencyRange()),
        etcd(network, EtcdOptions()),
        server(sim.AddProcess("kube-apiserver-0")),
        client(network, "kube-apiserver-0", etcd) {
    sim.bus().Subscribe(sim::Bus::Stage::kWriter, [this](const sim::Event& e) {
      events.push_back(Describe(e));
      if (e.background) background.push_back(e.seq);
    });
    etcd.process().Start();
    server.Start();
  }
  ~EtcdTest() override { sim.Shutdown(); }
  static sim::SimulationOptions Options() {
    sim::SimulationOptions options;
    options.seed = 7;
    return options;
  }
  void Settle() { sim.RunUntilQuiet(Seconds(1), {}); }
  void Run(sim::Task<void> task, bool in_background = false) {
    server.Spawn(std::move(task), {}, in_background);
    Settle();
  }
  Lines Named(std::string_view word) const {
    Lines found;
    for (const std::string& line : events) {
      if (line.find(word) != std::string::npos) found.push_back(line);
    }
    return found;
  }

  sim::Task<void> Put(std::string key, std::string value) {
    PutRequest request(key, Bytes(value));
    request.origin = WriteOrigin(sim::ActorId::Of("kubectl"), 12);
    absl::StatusOr<PutResponse> response = co_await client.Put(std::move(request));
    answers.push_back(response.ok() ? fmt::format("put @{}", response->header.revision)
                                    : store::Show(response.status()));
  }
  // Reads the stream to its end.
  sim::Task<void> Read(EtcdWatch* stream) {
    for (;;) {
      std::optional<WatchResponse> response = co_await stream->Next();
      if (!response) break;
      answers.push_back(fmt::format("#{} {}", response->number, store::Show(*response)));
    }
    answers.push_back("end");
  }

  sim::Simulation sim;
  sim::Digest digest;
  sim::Network network;
  Etcd etcd;
  sim::Process& server;
  EtcdClient client;
  Lines events, answers;
  std::vector<std::uint64_t> background;
};

TEST_F(EtcdTest, ARequestTravelsIsServedAndAnswered) {
  Run(Put("/registry/pods/default/a", "1"));
  EXPECT_EQ(answers, Lines{"put @2"});
  EXPECT_EQ(events,
            Lines{"1 etcd commit 2.0 create /registry/pods/default/a by kubectl request 12"});
  EXPECT_GE(sim.now() - VirtualTime(), Seconds(1) + Microseconds(400)) << "both ways take time";
}

TEST_F(EtcdTest, ErrorsTravelBack) {
  Run(Put("", "1"));
  EXPECT_EQ(answers, Lines{"3 etcdserver: key is not provided"});
  EXPECT_EQ(events, Lines{});
}

sim::Task<void> UseEverything(EtcdClient& client, Lines* answers) {
  const WriteOrigin origin(sim::ActorId::Of("kubectl"), 3);
  absl::StatusOr<TxnResponse> txn =
      co_await client.Txn(OptimisticPut(PutRequest("a", Bytes("1")), 0, true));
  answers->push_back(fmt::format("txn {} @{}", txn->succeeded, txn->header.revision));
  absl::StatusOr<LeaseGrantResponse> grant = co_await client.LeaseGrant(LeaseGrantRequest(7, 30));
  answers->push_back(fmt::format("grant {}", grant->ttl));
  absl::StatusOr<LeaseKeepAliveResponse> alive =
      co_await client.LeaseKeepAlive(LeaseKeepAliveRequest(7));
  answers->push_back(fmt::format("alive {}", alive->ttl));
  absl::StatusOr<LeaseTimeToLiveResponse> ttl =
      co_await client.LeaseTimeToLive(LeaseTimeToLiveRequest(7, true));
  answers->push_back(fmt::format("ttl {}", ttl->ttl));
  absl::StatusOr<LeaseRevokeResponse> revoke =
      co_await client.LeaseRevoke(LeaseRevokeRequest(7, origin));
  answers->push_back(store::Show(revoke.status()));
  absl::StatusOr<DeleteRangeResponse> del = co_await client.DeleteRange(DeleteRangeRequest("a"));
  answers->push_back(fmt::format("deleted {} @{}", del->deleted, del->header.revision));
  absl::StatusOr<CompactResponse> compact = co_await client.Compact(CompactRequest(3, origin));
  answers->push_back(store::Show(compact.status()));
  RangeRequest past("a");
  past.revision = 2;
  absl::StatusOr<RangeResponse> range = co_await client.Range(std::move(past));
  answers->push_back(store::Show(range.status()));
}

TEST_F(EtcdTest, EveryRequestHasItsCall) {
  Run(UseEverything(client, &answers));
  EXPECT_EQ(answers, (Lines{"txn true @2", "grant 30", "alive 30", "ttl 29", "ok", "deleted 1 @3",
                            "ok", "11 etcdserver: mvcc: required revision has been compacted"}));
  EXPECT_EQ(events,
            (Lines{"1 etcd commit 2.0 create a by etcd request 0",
                   "2 etcd commit 3.0 delete a by etcd request 0", "3 etcd compact 3 by kubectl"}));
}

// STORE-63, STORE-64
TEST_F(EtcdTest, AWatchIsToldFromCommitToDelivery) {
  WatchRequest request("/registry/pods/", "/registry/pods0", 0);
  request.prev_kv = request.progress_notify = true;
  const auto watch = client.Watch(request);
  server.Spawn(Read(watch.get()));
  Settle();
  Run(Put("/registry/pods/default/a", "1"));
  Run(Put("/registry/minions/n", "1"));
  EXPECT_EQ(answers, (Lines{"#1 w0 @1 created", "#2 w0 @2: /registry/pods/default/a=1 c2 m2 v1",
                            "put @2", "put @3"}));
  EXPECT_EQ(events,
            (Lines{"1 etcd watch open 1 kube-apiserver-0 rv 0 [prevKv,progressNotify]",
                   "2 etcd commit 2.0 create /registry/pods/default/a by kubectl request 12",
                   "3 etcd event 1#1 ADDED /registry/pods/default/a 2 r2 cause 2",
                   "4 kube-apiserver-0 deliver 1#1 ADDED /registry/pods/default/a 2 r2 cause 3",
                   "5 etcd commit 3.0 create /registry/minions/n by kubectl request 12"}));
}

TEST_F(EtcdTest, WritesPastTheProcessAreToldToo) {
  const auto watch = client.Watch(WatchRequest("a", "", 0));
  server.Spawn(Read(watch.get()));
  Settle();
  TxnRequest txn;
  txn.success = {PutRequest("a", Bytes("1")), PutRequest("b", Bytes("1"))};
  ASSERT_TRUE(etcd.store().Txn(txn).ok());
  ASSERT_TRUE(etcd.store().DeleteRange(DeleteRangeRequest("a")).ok());
  Settle();
  EXPECT_EQ(Named("commit").size(), 3u);
  EXPECT_EQ(Named("deliver"), (Lines{"7 kube-apiserver-0 deliver 1#1 ADDED a 2 r2 cause 4",
                                     "8 kube-apiserver-0 deliver 1#2 DELETED a 3 r3 cause 6"}));
}

// STORE-65, STORE-68
TEST_F(EtcdTest, AWatcherFromThePastCatchesUpAtTheNextTick) {
  for (const char* value : {"1", "2"})
    ASSERT_TRUE(etcd.store().Put(PutRequest("a", Bytes(value))).ok());
  VirtualTime told;
  sim.bus().Subscribe(sim::Bus::Stage::kOracle, [&](const sim::Event& e) {
    if (e.kind == sim::EventKind::kEvent) told = e.time;
  });
  sim.RunUntil(VirtualTime() + Milliseconds(1234));
  const auto watch = client.Watch(WatchRequest("a", "", 2));
  server.Spawn(Read(watch.get()));
  watch->RequestProgress();
  Settle();
  EXPECT_EQ(told, VirtualTime() + Milliseconds(1300));
  EXPECT_EQ(answers, (Lines{"#1 w0 @3 created", "#2 w0 @3: a=1 c2 m2 v1, a=2 c2 m3 v2"}))
      << "and no progress while it was behind";
  watch->RequestProgress();
  Settle();
  EXPECT_EQ(answers.back(), "#3 w-1 @3 progress");
  EXPECT_EQ(Named("deliver").back(), "9 kube-apiserver-0 deliver 1#3 BOOKMARK  3 r3 cause 8");
}

// A background task may have opened the watch; the events with which the watch catches up count as
// work all the same.
TEST_F(EtcdTest, WhatAWatcherCatchesUpWithIsWork) {
  ASSERT_TRUE(etcd.store().Put(PutRequest("a", Bytes("1"))).ok());
  sim.context().background = true;
  const auto watch = client.Watch(WatchRequest("a", "", 1));
  sim.context().background = false;
  server.Spawn(Read(watch.get()));
  Settle();
  ASSERT_EQ(Named("deliver").size(), 1u);
  EXPECT_EQ(Named("watch open").size(), background.size()) << "only its opening is background";
}

TEST_F(EtcdTest, ManyWatchersBehindTakeSeveralPasses) {
  ASSERT_TRUE(etcd.store().Put(PutRequest("a", Bytes("1"))).ok());
  std::vector<std::unique_ptr<EtcdWatch>> watches;
  for (int i = 0; i < 600; ++i) watches.push_back(client.Watch(WatchRequest("a", "", 1)));
  sim.RunUntil(VirtualTime() + Milliseconds(101));
  EXPECT_EQ(Named("event").size(), 600u) << "the second pass follows at once";
}

TEST_F(EtcdTest, AWatchThatOutlivesTheRunAsksForNothing) {
  auto watch = client.Watch(WatchRequest("a", "", 0));
  Settle();
  sim.Shutdown();
  const std::uint64_t asked = sim.decisions().asked();
  watch.reset();
  EXPECT_EQ(sim.decisions().asked(), asked);
}

// STORE-67
TEST_F(EtcdTest, ACompactedWatchEndsWithAnError) {
  for (const char* value : {"1", "2"})
    ASSERT_TRUE(etcd.store().Put(PutRequest("a", Bytes(value))).ok());
  ASSERT_TRUE(etcd.store().Compact(CompactRequest(3, WriteOrigin())).ok());
  const auto watch = client.Watch(WatchRequest("a", "", 2));
  server.Spawn(Read(watch.get()));
  Settle();
  EXPECT_EQ(answers, (Lines{"#1 w0 @3 created", "#2 w0 @0 canceled compacted 3"}));
  EXPECT_EQ(Named("ERROR").size(), 2u);
  EXPECT_EQ(Named("watch close").back(),
            "6 etcd watch close 1 kube-apiserver-0 rv 2 [] last 0 compacted");
}

// STORE-70, STORE-82
TEST_F(EtcdTest, CanceledAndRefused) {
  const auto watch = client.Watch(WatchRequest("a", "", 0));
  const auto refused = client.Watch(WatchRequest("b", "a", 0));
  server.Spawn(Read(watch.get()));
  server.Spawn(Read(refused.get()));
  Settle();
  watch->Cancel();
  Settle();
  EXPECT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers.back(), "#2 w0 @1 canceled");
  EXPECT_EQ(Named("close 1").size(), 1u);
  EXPECT_NE(Named("close 2")[0].find("mvcc: watcher range is empty"), std::string::npos);
}

// STORE-81
TEST_F(EtcdTest, ProgressNotifyTicksAreNoWork) {
  WatchRequest request("a", "", 0);
  request.progress_notify = true;
  const auto watch = client.Watch(request);
  server.Spawn(Read(watch.get()));
  Settle();
  EXPECT_LT(sim.now(), VirtualTime() + Seconds(2)) << "quiet though a tick is to come";
  sim.RunUntil(VirtualTime() + Minutes(10));
  EXPECT_EQ(answers.size(), 1u);
  sim.RunUntil(VirtualTime() + Minutes(11) + Seconds(1));
  EXPECT_EQ(answers.back(), "#2 w0 @1 progress");
  sim.RunUntil(VirtualTime() + Minutes(22) + Seconds(1));
  EXPECT_EQ(answers.size(), 3u);
  EXPECT_EQ(background.size(), 4u) << "two events, two deliveries";
}

TEST_F(EtcdTest, AClientThatDiesClosesItsStream) {
  auto watch = client.Watch(WatchRequest("a", "", 0));
  server.OnStop([&] { watch.reset(); });
  server.Spawn(Read(watch.get()));
  Settle();
  ASSERT_TRUE(etcd.store().Put(PutRequest("a", Bytes("1"))).ok());
  server.Kill();
  Settle();
  ASSERT_TRUE(etcd.store().Put(PutRequest("a", Bytes("2"))).ok());
  Settle();
  EXPECT_EQ(Named("deliver"), Lines{});
  EXPECT_EQ(Named("event").size(), 1u) << "the first was on the wire";
  EXPECT_EQ(Named("close"), Lines{"4 etcd watch close 1 kube-apiserver-0 rv 0 [] last 2 closed"});
}

TEST_F(EtcdTest, AWriteOutlivesItsCaller) {
  server.Spawn(Put("a", "1"));
  sim.RunUntil(VirtualTime() + Microseconds(100));
  server.Kill();
  Settle();
  EXPECT_EQ(answers, Lines{});
  EXPECT_EQ(etcd.store().revision(), 2);
}

TEST_F(EtcdTest, ARestartKeepsTheDataAndDropsTheStreams) {
  const auto watch = client.Watch(WatchRequest("a", "", 0));
  server.Spawn(Read(watch.get()));
  Run(Put("a", "1"));
  etcd.process().Kill();
  Settle();
  EXPECT_EQ(answers.back(), "end");
  EXPECT_EQ(Named("close").size(), 1u);
  Run(Put("a", "2"));
  EXPECT_EQ(answers.back().substr(0, 3), "14 ");
  const auto dead = client.Watch(WatchRequest("a", "", 0));
  Run(Read(dead.get()));
  EXPECT_EQ(answers.back(), "end");
  etcd.process().Start();
  Run(Put("a", "3"));
  EXPECT_EQ(answers.back(), "put @3");
  EXPECT_EQ(etcd.store().Range(RangeRequest("a"))->kvs[0].version(), 2);
}

TEST_F(EtcdTest, TheEndOfTheRunIsNoEvent) {
  const auto watch = client.Watch(WatchRequest("a", "", 0));
  Settle();
  sim.Shutdown();
  EXPECT_EQ(events.size(), 1u);
}

TEST_F(EtcdTest, BackgroundStaysBackground) {
  const auto watch = client.Watch(WatchRequest("a", "", 0));
  server.Spawn(Read(watch.get()));
  Settle();
  Run(Put("a", "1"), true);
  EXPECT_EQ(background.size(), 0u) << "nothing of it was waited for";
  sim.RunUntil(sim.now() + Seconds(1));
  EXPECT_EQ(background, (std::vector<std::uint64_t>{2, 3, 4}));
  Run(Put("a", "2"));
  EXPECT_EQ(background.size(), 3u) << "the reader is no background task";
}

sim::Task<void> PutWithLease(EtcdClient& client, std::int64_t ttl) {
  absl::StatusOr<LeaseGrantResponse> lease = co_await client.LeaseGrant(LeaseGrantRequest(0, ttl));
  PutRequest put("leased", Bytes("v"));
  put.lease = lease->id;
  absl::StatusOr<PutResponse> response = co_await client.Put(std::move(put));
  EXPECT_TRUE(response.ok());
}

// STORE-89
TEST_F(EtcdTest, LeasesRunOutOnTheVirtualClock) {
  Run(PutWithLease(client, 100));
  Run(PutWithLease(client, 10));
  EXPECT_LT(sim.now(), VirtualTime() + Seconds(9)) << "no run waits for a lease";
  sim.RunUntil(VirtualTime() + Seconds(12));
  EXPECT_EQ(Named("delete").size(), 1u);
  EXPECT_EQ(background.size(), 1u);
  sim.RunUntil(VirtualTime() + Seconds(120));
  EXPECT_TRUE(etcd.store().LeaseLeases().ids.empty());
}

// G-CK1: a lease's time is etcd's own, whatever its clock does meanwhile.
TEST_F(EtcdTest, LeasesRunOutByEtcdsClock) {
  Run(PutWithLease(client, 10));
  Run(PutWithLease(client, 30));
  const sim::TurnedClock::RateId id = etcd.process().BeginRate({1, 2});
  sim.RunUntil(VirtualTime() + Seconds(19));
  EXPECT_EQ(Named("delete").size(), 0u);
  sim.RunUntil(VirtualTime() + Seconds(22));
  EXPECT_EQ(etcd.store().LeaseLeases().ids.size(), 1u);
  etcd.process().EndRate(id);
  sim.RunUntil(VirtualTime() + Seconds(39));
  EXPECT_EQ(Named("delete").size(), 0u);
  sim.RunUntil(VirtualTime() + Seconds(43));
  EXPECT_EQ(Named("delete").size(), 1u);
}

TEST_F(EtcdTest, ARestartGivesLeasesTheirTimeAgain) {
  Run(PutWithLease(client, 10));
  sim.RunUntil(VirtualTime() + Seconds(9));
  etcd.process().Kill();
  sim.RunUntil(VirtualTime() + Seconds(15));
  EXPECT_EQ(Named("delete").size(), 0u) << "nobody there to revoke it";
  etcd.process().Start();
  sim.RunUntil(VirtualTime() + Seconds(24));
  EXPECT_EQ(Named("delete").size(), 0u);
  sim.RunUntil(VirtualTime() + Seconds(26));
  EXPECT_EQ(Named("delete").size(), 1u);
}

// STORE-95
TEST(EtcdDeterminism, EqualSeedsEqualRuns) {
  const auto digest_of = [](std::uint64_t seed) {
    sim::SimulationOptions options;
    options.seed = seed;
    sim::Simulation sim(options);
    const sim::Digest digest(sim.bus());
    sim::Network network(sim, sim::LatencyRange());
    Etcd etcd(network, EtcdOptions());
    sim::Process& server = sim.AddProcess("kube-apiserver-0");
    EtcdClient client(network, "kube-apiserver-0", etcd);
    Lines answers;
    etcd.process().Start();
    server.Start();
    std::vector<std::unique_ptr<EtcdWatch>> watches;
    for (int i = 0; i < 5; ++i) watches.push_back(client.Watch(WatchRequest(kAll, kAll, 1)));
    for (int i = 0; i < 5; ++i) server.Spawn(PutWithLease(client, 5 + i));
    server.Spawn(UseEverything(client, &answers));
    sim.RunUntil(VirtualTime() + Minutes(1));
    const std::string text = digest.Final(sim.decisions());
    sim.Shutdown();
    return text;
  };
  EXPECT_EQ(digest_of(3), digest_of(3));
  EXPECT_NE(digest_of(3), digest_of(4));
}

}  // namespace
}  // namespace ksim::store
