// The simulation kernel: queue, sleeping actors, messages, draws.
//
// Goals: the queue at 1e5 pending at least twice as fast as std::priority_queue; at most 256 bytes
// an idle actor (frame, slot, root and queue entry); a draw in about 10 ns.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cmath>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "ksim/base/os.h"
#include "ksim/sim/digest.h"
#include "ksim/sim/event_queue.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/mix.h"
#include "ksim/sim/network.h"
#include "ksim/sim/process.h"
#include "ksim/sim/simulation.h"

namespace ksim::sim {
namespace {

std::int64_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

Task<void> SleepForever(Simulation& sim, Duration period) {
  for (;;) co_await sim.Sleep(period, TimerKind::kPeriodic);
}

// Registered first: later runs find the frame pool already filled and would count too little.
void BM_IdleActorBytes(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  for (auto _ : state) {
    const std::int64_t heap = HeapBytes();
    const std::int64_t resident = os::ResidentBytes();
    Simulation sim{SimulationOptions()};
    Process& process = sim.AddProcess("actor");
    process.Start();
    for (std::int64_t i = 0; i < n; ++i) process.Spawn(SleepForever(sim, Nanoseconds(1000 + i)));
    sim.RunUntil(VirtualTime(500));  // all have begun, all are asleep
    state.counters["bytes_heap"] = static_cast<double>(HeapBytes() - heap) / n;
    state.counters["bytes_rss"] = static_cast<double>(os::ResidentBytes() - resident) / n;
  }
}
BENCHMARK(BM_IdleActorBytes)->Arg(100'000)->Iterations(1);

// Exponential delays with a mean of one second, from a table.
class Delays {
 public:
  Delays() : table_(65536) {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const double u = static_cast<double>(Mix(i + 1) >> 11) / 9007199254740992.0;
      table_[i] = 1 + static_cast<std::uint64_t>(-std::log(1.0 - u) * 1e9);
    }
  }
  std::uint64_t Next() { return table_[Mix(++asked_) & 65535]; }

 private:
  std::vector<std::uint64_t> table_;
  std::uint64_t asked_ = 0;
};

struct Later {
  bool operator()(const QueueEntry& a, const QueueEntry& b) const {
    return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
  }
};

class StdQueue {
 public:
  void Push(const QueueEntry& e) { queue_.push(e); }
  QueueEntry Pop() {
    const QueueEntry e = queue_.top();
    queue_.pop();
    return e;
  }

 private:
  std::priority_queue<QueueEntry, std::vector<QueueEntry>, Later> queue_;
};

class RadixQueue {
 public:
  void Push(const QueueEntry& e) { queue_.Push(e); }
  QueueEntry Pop() {
    const QueueEntry* const due = queue_.Due(kEndOfTime);
    const QueueEntry e = *due;
    queue_.PopFront();
    return e;
  }

 private:
  EventQueue queue_;
};

// The hold model: take the earliest of n pending events out, put one in that is due later.
template <class Queue>
void BM_Hold(benchmark::State& state) {
  Queue queue;
  Delays delays;
  std::uint64_t sequence = 0;
  const auto pending = static_cast<std::uint64_t>(state.range(0));
  for (std::uint64_t i = 0; i < pending; ++i) queue.Push({delays.Next(), sequence++, 0, 0});
  const auto hold = [&] {
    const QueueEntry e = queue.Pop();
    queue.Push({e.time + delays.Next(), sequence++, e.slot, 0});
  };
  for (std::uint64_t i = 0; i < pending; ++i) hold();
  for (auto _ : state) hold();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Hold<StdQueue>)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);
BENCHMARK(BM_Hold<RadixQueue>)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

// One step = one wake-up of one of n actors.
void BM_SleepingActors(benchmark::State& state) {
  Simulation sim{SimulationOptions()};
  Process& process = sim.AddProcess("actor");
  process.Start();
  for (std::int64_t i = 0; i < state.range(0); ++i)
    process.Spawn(SleepForever(sim, Nanoseconds(1'000'000'000 + i)));
  sim.RunUntil(VirtualTime(500));
  for (auto _ : state) sim.RunUntil(sim.now() + Seconds(1));
  const auto wakeups = static_cast<double>(state.iterations() * state.range(0));
  state.SetItemsProcessed(static_cast<std::int64_t>(wakeups));
}
BENCHMARK(BM_SleepingActors)->Arg(1)->Arg(1'000)->Arg(100'000);

Task<void> Consume(Mailbox<int>& box, std::int64_t* received) {
  for (;;) {
    const std::optional<int> item = co_await box.Receive();
    if (!item) co_return;
    ++*received;
  }
}

Task<void> Produce(Simulation& sim, Mailbox<int>& box) {
  for (;;) {
    box.Send(1);
    co_await sim.Sleep(Nanoseconds(1));
  }
}

void BM_MailboxMessage(benchmark::State& state) {
  Simulation sim{SimulationOptions()};
  Process& process = sim.AddProcess("actor");
  process.Start();
  Mailbox<int> box(sim);
  std::int64_t received = 0;
  process.Spawn(Consume(box, &received));
  process.Spawn(Produce(sim, box));
  for (auto _ : state) sim.RunUntil(sim.now() + Nanoseconds(1000));
  state.SetItemsProcessed(received);
  sim.Shutdown();
}
BENCHMARK(BM_MailboxMessage);

Task<int> ReadyChild(int value) { co_return value; }

Task<void> AwaitReady(Simulation& sim) {
  for (;;) {
    for (int i = 0; i < 1000; ++i) {
      const int value = co_await ReadyChild(i);
      benchmark::DoNotOptimize(value);
    }
    co_await sim.Sleep(Nanoseconds(1));
  }
}

void BM_ReadyChild(benchmark::State& state) {
  Simulation sim{SimulationOptions()};
  Process& process = sim.AddProcess("actor");
  process.Start();
  process.Spawn(AwaitReady(sim));
  for (auto _ : state) sim.Step();
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(BM_ReadyChild);

Task<void> SleepOnce(Simulation& sim) { co_await sim.Sleep(Nanoseconds(1)); }

void BM_SpawnSleepFinish(benchmark::State& state) {
  Simulation sim{SimulationOptions()};
  Process& process = sim.AddProcess("actor");
  process.Start();
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i) process.Spawn(SleepOnce(sim));
    sim.RunUntil(sim.now() + Nanoseconds(2));
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(BM_SpawnSleepFinish);

void BM_ChannelMessage(benchmark::State& state) {
  Simulation sim{SimulationOptions()};
  Network network(sim, LatencyRange());
  Channel channel(network, "kube-apiserver-0", "kube-scheduler", "pods", Channel::Order::kOrdered);
  std::uint64_t key = 0;
  std::uint64_t delivered = 0;
  for (auto _ : state) {
    for (int i = 0; i < 100; ++i) channel.Send(key++, [&delivered] { ++delivered; });
    sim.RunUntil(sim.now() + Milliseconds(10));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(delivered));
}
BENCHMARK(BM_ChannelMessage);

// Keys in order, as a counter gives them.
void BM_DrawInOrder(benchmark::State& state) {
  Decisions decisions(1, {}, nullptr);
  const SiteId site = decisions.Site("latency/kube-apiserver-0/kube-scheduler/pods");
  std::uint64_t key = 0;
  for (auto _ : state) benchmark::DoNotOptimize(decisions.Draw(site, key++));
}
BENCHMARK(BM_DrawInOrder);

// Keys that are hashes: n different ones, over and over.
void BM_DrawHashedKeys(benchmark::State& state) {
  Decisions decisions(1, {}, nullptr);
  const SiteId site = decisions.Site("latency/kube-apiserver-0/kube-scheduler/pods");
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(state.range(0)));
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = Mix(i + 1);
  for (const std::uint64_t key : keys) decisions.Draw(site, key);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(decisions.Draw(site, keys[i]));
    i = i + 1 == keys.size() ? 0 : i + 1;
  }
}
BENCHMARK(BM_DrawHashedKeys)->Arg(1'000)->Arg(100'000);

void BM_ChooseNominal(benchmark::State& state) {
  Decisions decisions(1, {}, nullptr);
  const SiteId site = decisions.Site("delay/kube-apiserver-0/kube-scheduler/pods");
  std::uint64_t key = 0;
  for (auto _ : state) benchmark::DoNotOptimize(decisions.Choose(site, key++, 7));
}
BENCHMARK(BM_ChooseNominal);

void BM_EmitIntoDigest(benchmark::State& state) {
  Simulation sim{SimulationOptions()};
  const Digest digest(sim.bus());
  for (auto _ : state) sim.Emit({EventKind::kEvent, 1, 2}, PayloadRef());
  benchmark::DoNotOptimize(digest.current());
}
BENCHMARK(BM_EmitIntoDigest);

void BM_HasherFiveFields(benchmark::State& state) {
  const std::string name = "my-replicaset-x7k2p";
  std::int64_t n = 0;
  for (auto _ : state) {
    Hasher h;
    h.Add(++n).Add(std::string_view("ADDED")).Add(std::string_view("pods"));
    h.Add(name).Add(std::int64_t{7});
    benchmark::DoNotOptimize(h.Digest());
  }
}
BENCHMARK(BM_HasherFiveFields);

}  // namespace
}  // namespace ksim::sim
