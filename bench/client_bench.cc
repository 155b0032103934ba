// The client's two hot paths: one watch event from the wire to a handler with a full cache behind
// it, and a key through a work queue.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/client/workqueue.h"
#include "ksim/sim/network.h"

namespace ksim::client {
namespace {

using value::Value;

api::Object Pod(std::size_t i, std::int64_t rv) {
  Value metadata = value::Obj({{"name", Value::Of(fmt::format("my-replicaset-{:06}", i))},
                               {"namespace", Value::Of("default")},
                               {"uid", Value::Of(fmt::format("uid-{}", i))}});
  Value tree = value::Obj({{"apiVersion", Value::Of("v1")},
                           {"kind", Value::Of("Pod")},
                           {"metadata", std::move(metadata)},
                           {"spec", value::Obj({{"nodeName", Value::Of("node-1")}})}});
  return api::Object::FromTree(tree, rv);
}

// Answers a list with `count` pods and keeps the sink of the watch.
class Server : public api::Endpoint {
 public:
  explicit Server(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) pods_.push_back(Pod(i, 1));
  }
  const std::string& name() const override { return name_; }
  bool accepting() const override { return true; }
  void Accept(api::Request request, absl::AnyInvocable<void(api::Response)> reply,
              std::shared_ptr<api::WatchSink> s) override {
    api::Response response;
    if (request.verb == api::Verb::kWatch) {
      sink = std::move(s);
      response.stream = 1;
    } else {
      response.items = pods_;
      response.list_rv = 1;
    }
    reply(std::move(response));
  }
  void CloseWatch(std::uint64_t) override {}
  std::shared_ptr<api::WatchSink> sink;

 private:
  std::string name_ = "kube-apiserver-0";
  std::vector<api::Object> pods_;
};

struct World {
  explicit World(std::size_t count)
      : sim(sim::SimulationOptions()),
        network(sim, sim::LatencyRange()),
        env(sim, network, kinds, api::Compat::k1_30),
        server(count),
        process(sim.AddProcess("kube-controller-manager")) {
    process.Start();
    connection = std::make_unique<Connection>(env, process, server);
  }
  ~World() { sim.Shutdown(); }
  void Settle() { sim.RunUntilQuiet(Nanoseconds(1), sim::Simulation::Limits()); }
  sim::Simulation sim;
  sim::Network network;
  api::Kinds kinds;
  Environment env;
  Server server;
  sim::Process& process;
  std::unique_ptr<Connection> connection;
};

// One MODIFIED: sink, channel, delivery, delta queue, indexer, listener, handler.
void BM_InformerUpdateToHandler(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  World world(count);
  InformerFactory factory(*world.connection, ClientOptions(), Duration());
  SharedInformer& pods = factory.For(world.kinds.ByResource("", "pods"));
  pods.AddIndex("node",
                [](const api::Object& o, IndexValues& values) { values.Add(o.node_name()); });
  HandlerFuncs handler;
  std::uint64_t calls = 0;
  handler.update = [&calls](const api::Object&, const api::Object&) { ++calls; };
  pods.AddHandler(world.process.PartActor("replicaset"), &handler);
  factory.Start();
  world.Settle();
  std::vector<api::Object> updates;
  for (std::size_t i = 0; i < 4096; ++i) {
    updates.push_back(Pod(i * 7919 % count, static_cast<std::int64_t>(i) + 2));
  }
  std::size_t next = 0;
  for (auto _ : state) {
    api::WatchEvent event;
    event.type = api::WatchEventType::kModified;
    event.object = updates[next++ % updates.size()];
    world.server.sink->Send(std::move(event));
    world.Settle();
  }
  if (calls != static_cast<std::uint64_t>(state.iterations())) state.SkipWithError("lost updates");
  state.SetItemsProcessed(state.iterations());
  world.sim.Shutdown();
}
BENCHMARK(BM_InformerUpdateToHandler)->Arg(1'000)->Arg(150'000);

// The same when 1000 events arrive one behind the other: what one costs in a stream.
void BM_InformerUpdatesInAStream(benchmark::State& state) {
  constexpr std::size_t kBurst = 1000;
  const auto count = static_cast<std::size_t>(state.range(0));
  World world(count);
  InformerFactory factory(*world.connection, ClientOptions(), Duration());
  SharedInformer& pods = factory.For(world.kinds.ByResource("", "pods"));
  HandlerFuncs handler;
  std::uint64_t calls = 0;
  handler.update = [&calls](const api::Object&, const api::Object&) { ++calls; };
  pods.AddHandler(world.process.PartActor("replicaset"), &handler);
  factory.Start();
  world.Settle();
  std::vector<api::Object> updates;
  for (std::size_t i = 0; i < 16 * kBurst; ++i)
    updates.push_back(Pod(i * 7919 % count, static_cast<std::int64_t>(i) + 2));
  std::size_t next = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < kBurst; ++i) {
      api::WatchEvent event;
      event.type = api::WatchEventType::kModified;
      event.object = updates[next++ % updates.size()];
      world.server.sink->Send(std::move(event));
    }
    world.Settle();
  }
  if (calls != kBurst * static_cast<std::uint64_t>(state.iterations()))
    state.SkipWithError("lost updates");
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBurst));
  world.sim.Shutdown();
}
BENCHMARK(BM_InformerUpdatesInAStream)->Arg(1'000)->Arg(150'000);

void BM_InformerInitialList(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    auto world = std::make_unique<World>(count);
    InformerFactory factory(*world->connection, ClientOptions(), Duration());
    SharedInformer& pods = factory.For(world->kinds.ByResource("", "pods"));
    HandlerFuncs handler;
    pods.AddHandler(world->process.PartActor("replicaset"), &handler);
    state.ResumeTiming();
    factory.Start();
    world->Settle();
    state.PauseTiming();
    world->sim.Shutdown();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_InformerInitialList)->Arg(150'000)->Unit(benchmark::kMillisecond);

sim::Task<void> Take(WorkQueue* queue, std::uint64_t* taken) {
  for (;;) {
    std::optional<std::string> key = co_await queue->Get();
    if (!key) co_return;
    ++*taken;
    queue->Done(*key);
  }
}

void BM_WorkQueueAddGetDone(benchmark::State& state) {
  World world(0);
  WorkQueue queue(world.process, DefaultControllerRateLimiter(world.process));
  std::uint64_t taken = 0;
  world.process.Spawn(Take(&queue, &taken));
  std::vector<std::string> keys;
  for (int i = 0; i < 1000; ++i) keys.push_back(fmt::format("default/my-replicaset-{}", i));
  for (auto _ : state) {
    for (const std::string& key : keys) queue.Add(key);
    world.Settle();
  }
  if (taken != 1000 * static_cast<std::uint64_t>(state.iterations())) {
    state.SkipWithError("lost keys");
  }
  state.SetItemsProcessed(state.iterations() * 1000);
  world.sim.Shutdown();
}
BENCHMARK(BM_WorkQueueAddGetDone);

}  // namespace
}  // namespace ksim::client
