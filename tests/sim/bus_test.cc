#include "ksim/sim/bus.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "ksim/base/hash.h"
#include "ksim/sim/digest.h"
#include "ksim/sim/process.h"
#include "ksim/sim/simulation.h"

namespace ksim::sim {
namespace {

TEST(ActorId, InternsByName) {
  EXPECT_EQ(ActorId(), ActorId::Of(""));
  const ActorId etcd = ActorId::Of("etcd");
  EXPECT_EQ(etcd, ActorId::Of(std::string("et") + "cd"));
  EXPECT_FALSE(etcd == ActorId::Of("kubectl"));
  EXPECT_EQ(etcd.name(), "etcd");
  EXPECT_EQ(etcd.name_hash(), Hash64("etcd"));
}

TEST(ActorId, ThreadsShareTheTable) {
  std::vector<std::thread> threads;
  std::vector<std::vector<ActorId>> ids(4);
  for (std::vector<ActorId>& mine : ids) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 3000; ++i)
        mine.push_back(ActorId::Of("kubelet/node-" + std::to_string(i)));
    });
  }
  for (std::thread& t : threads) t.join();
  for (const std::vector<ActorId>& mine : ids) EXPECT_EQ(mine, ids[0]);
  EXPECT_EQ(ids[0][2999].name(), "kubelet/node-2999");
}

class TextPayload : public Payload {
 public:
  explicit TextPayload(std::string text, int* alive = nullptr)
      : text(std::move(text)), alive_(alive) {
    if (alive_) ++*alive_;
  }
  ~TextPayload() override {
    if (alive_) --*alive_;
  }
  std::uint64_t ContentHash() const override { return Hasher().Add(text).Digest(); }
  const std::string text;

 private:
  int* alive_;
};

class HashedPayload : public Payload {
 public:
  explicit HashedPayload(std::uint64_t hash) : hash_(hash) {}
  std::uint64_t ContentHash() const override { return hash_; }

 private:
  std::uint64_t hash_;
};

TEST(PayloadRef, Counts) {
  int alive = 0;
  {
    PayloadRef a = MakePayload<TextPayload>("x", &alive);
    PayloadRef b = a;
    const PayloadRef c = std::move(a);
    EXPECT_FALSE(a);  // NOLINT: what a moved-from reference is like is the point
    b = PayloadRef();
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(c.As<TextPayload>().text, "x");
  }
  EXPECT_EQ(alive, 0);
}

TEST(Bus, SubscribersSeeEventsByStage) {
  Simulation sim{SimulationOptions()};
  std::string order;
  const auto say = [&order](char c) { return [&order, c](const Event&) { order.push_back(c); }; };
  sim.bus().Subscribe(Bus::Stage::kWriter, say('w'));
  sim.bus().Subscribe(Bus::Stage::kTrigger, say('t'));
  sim.bus().Subscribe(Bus::Stage::kDigest, say('d'));
  sim.bus().Subscribe(Bus::Stage::kTrigger, say('u'));
  sim.bus().Subscribe(Bus::Stage::kOracle, say('o'));
  sim.Emit({EventKind::kStep}, PayloadRef());
  EXPECT_EQ(order, "dtuow");
}

TEST(Bus, SubscribersSeeTheKindsTheyRead) {
  Simulation sim{SimulationOptions()};
  std::string seen;
  const auto say = [&seen](char c) { return [&seen, c](const Event&) { seen.push_back(c); }; };
  EXPECT_FALSE(sim.bus().IsRead(EventKind::kStep));
  sim.bus().Subscribe(Bus::Stage::kWriter, {EventKind::kStep, EventKind::kViolation}, say('a'));
  sim.bus().Subscribe(Bus::Stage::kTrigger, EventKinds::AllBut({EventKind::kStage}), say('b'));
  struct Row {
    EventKind kind;
    const char* by;
  };
  for (const Row& row : {Row{EventKind::kStep, "ba"}, Row{EventKind::kViolation, "ba"},
                         Row{EventKind::kRequest, "b"}, Row{EventKind::kStage, ""}}) {
    seen.clear();
    const std::uint64_t before = sim.bus().last_seq();
    EXPECT_EQ(sim.Emit({row.kind}, PayloadRef()), before + 1);
    EXPECT_EQ(seen, row.by);
    EXPECT_EQ(sim.bus().IsRead(row.kind), !seen.empty());
  }
}

TEST(Bus, EventsCarryTimeActorAndCause) {
  Simulation sim{SimulationOptions()};
  std::vector<Event> seen;
  sim.bus().Subscribe(Bus::Stage::kWriter, [&seen](const Event& e) { seen.push_back(e); });
  Process& etcd = sim.AddProcess("etcd");
  etcd.Start();
  const std::uint64_t first = sim.Emit({EventKind::kStep}, PayloadRef());
  sim.context().cause = first;
  sim.context().actor = ActorId::Of("kubectl");
  sim.context().background = true;
  sim.After(Milliseconds(5), TimerKind::kWork, "test", [&sim] {
    sim.Emit({EventKind::kCommit, 0xabc, 42}, MakePayload<TextPayload>("body"));
    sim.EmitAs(ActorId::Of("etcd"), 0, {EventKind::kCompact}, PayloadRef());
  });
  sim.RunUntil(VirtualTime() + Seconds(1));
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].seq, 1u);
  EXPECT_EQ(seen[0].actor, ActorId());
  EXPECT_EQ(seen[1].seq, 2u);
  EXPECT_EQ(seen[1].time, VirtualTime() + Milliseconds(5));
  EXPECT_EQ(seen[1].actor.name(), "kubectl");
  EXPECT_EQ(seen[1].cause, first);
  EXPECT_TRUE(seen[1].background);
  EXPECT_EQ(seen[1].object, 0xabcu);
  EXPECT_EQ(seen[1].revision, 42);
  EXPECT_EQ(seen[1].content(), Hasher().Add("body").Digest());
  EXPECT_EQ(seen[1].payload.As<TextPayload>().text, "body");
  EXPECT_EQ(seen[2].actor.name(), "etcd");
  EXPECT_EQ(seen[2].cause, 0u);
  EXPECT_EQ(seen[2].content(), 0u);
  EXPECT_EQ(sim.bus().last_seq(), 3u);
}

TEST(Bus, SubscriberMayDefer) {
  Simulation sim{SimulationOptions()};
  std::vector<std::uint64_t> seen;
  sim.bus().Subscribe(Bus::Stage::kWriter, [&seen](const Event& e) { seen.push_back(e.seq); });
  sim.bus().Subscribe(Bus::Stage::kTrigger, [&sim](const Event& e) {
    if (e.kind != EventKind::kHandler) return;
    const std::uint64_t trigger = e.seq;
    sim.Defer(
        [&sim, trigger] { sim.EmitAs(ActorId(), trigger, {EventKind::kFault}, PayloadRef()); });
  });
  sim.After({}, TimerKind::kWork, "a", [&sim] {
    sim.Emit({EventKind::kHandler}, PayloadRef());
    sim.Emit({EventKind::kStep}, PayloadRef());  // of the same step: still before the fault
  });
  sim.After({}, TimerKind::kWork, "b", [&sim] { EXPECT_EQ(sim.bus().last_seq(), 3u); });
  sim.RunUntil(VirtualTime(1));
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(BusDeathTest, SubscriberMustNotEmitOrSubscribe) {
  Simulation sim{SimulationOptions()};
  sim.bus().Subscribe(Bus::Stage::kTrigger, [&sim](const Event& e) {
    if (e.kind == EventKind::kStep) sim.Emit({EventKind::kFault}, PayloadRef());
    sim.bus().Subscribe(Bus::Stage::kTrigger, nullptr);
  });
  const testing::ExitedWithCode bug(70);
  EXPECT_EXIT(sim.Emit({EventKind::kStep}, PayloadRef()), bug, "inside a subscriber; Defer it");
  EXPECT_EXIT(sim.Emit({EventKind::kActor}, PayloadRef()), bug, "subscribed from inside");
}

// Computed apart, in Python: H(0) = 0, H(i) = XXH3-128(H(i-1) as <QQ low, high || <I length || e),
// e = <QQHQQQQ; the end: <QQ asked, sum, with one Draw("order", 5) and one nominal
// Choose("delay/a/b/c", 9, 7) under seed 1.
TEST(Digest, TestVectors) {
  Simulation sim{SimulationOptions()};
  const Digest digest(sim.bus());
  EXPECT_EQ(digest.current(), Hash128Value());
  Event e;
  e.seq = 1;
  e.time = VirtualTime(1500);
  e.kind = EventKind::kCommit;
  e.actor = ActorId::Of("etcd");
  e.object = 0x1122334455667788;
  e.revision = 42;
  sim.bus().Publish(e);
  EXPECT_EQ(Hex(digest.current()), "84ad1dd158c1aad81ca8c4274f829e95");
  Event fault;
  fault.seq = 2;
  fault.time = VirtualTime(2000);
  fault.kind = EventKind::kFault;
  fault.payload = MakePayload<HashedPayload>(0xabcdef);
  sim.bus().Publish(fault);
  EXPECT_EQ(Hex(digest.current()), "565319cb206c089caced472c6b75e4d7");
  Decisions& decisions = sim.decisions();
  decisions.Draw(decisions.Site("order"), 5);
  decisions.Choose(decisions.Site("delay/a/b/c"), 9, 7);
  EXPECT_EQ(decisions.answer_sum(), 0x448b8337e70969edu);
  EXPECT_EQ(digest.Final(decisions), "74b8c5f0ec6bf484da5227460244819a");
  EXPECT_EQ(digest.Final(decisions), "74b8c5f0ec6bf484da5227460244819a");
}

TEST(Digest, CauseAndBackgroundAreNotInIt) {
  const auto digest_with = [](std::uint64_t cause, bool background) {
    Simulation sim{SimulationOptions()};
    const Digest digest(sim.bus());
    sim.context().cause = cause;
    sim.context().background = background;
    sim.Emit({EventKind::kStep}, PayloadRef());
    return digest.Final(sim.decisions());
  };
  EXPECT_EQ(digest_with(0, false), digest_with(7, true));
}

// A subscriber that comes late gets the same sequence numbers as the others.
TEST(Bus, EventsWithoutASubscriberAreCounted) {
  Simulation sim{SimulationOptions()};
  EXPECT_EQ(sim.Emit({EventKind::kPhase}, MakePayload<TextPayload>("unheard")), 1u);
  std::vector<std::uint64_t> seen;
  sim.bus().Subscribe(Bus::Stage::kWriter, [&seen](const Event& e) { seen.push_back(e.seq); });
  EXPECT_EQ(sim.Emit({EventKind::kPhase}, MakePayload<TextPayload>("heard")), 2u);
  EXPECT_EQ(seen, std::vector<std::uint64_t>{2});
}

}  // namespace
}  // namespace ksim::sim
