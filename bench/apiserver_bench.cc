// The API server's hot paths: a pod status write from its arrival to the answer and the watchers,
// and how much a write costs with few and with many kubelets watching.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/identity.h"
#include "ksim/api/kinds.h"
#include "ksim/apiserver/cacher/watch_cache.h"
#include "ksim/apiserver/cacher/watcher_index.h"
#include "ksim/apiserver/server.h"
#include "ksim/sim/network.h"
#include "ksim/store/etcd.h"

namespace ksim::apiserver {
namespace {

using value::Obj;
using value::Path;
using value::Value;

class CountingSink final : public api::WatchSink {
 public:
  explicit CountingSink(std::int64_t& count) : count_(count) {}
  bool Send(api::WatchEvent event) override {
    benchmark::DoNotOptimize(event);
    ++count_;
    return true;
  }
  void Close(api::StreamEnd) override {}

 private:
  std::int64_t& count_;
};

class Host final : public WatchHost {
 public:
  explicit Host(sim::Simulation& s) : WatchHost(s, sim::ActorId::Of("kube-apiserver-0")) {}
  void OnClosed(const ServedWatch&) override {}
};

Value Pod(std::size_t i, std::size_t nodes) {
  return Obj({{"apiVersion", Value::Of("v1")},
              {"kind", Value::Of("Pod")},
              {"metadata", Obj({{"name", Value::Of(fmt::format("web-{:06}", i))},
                                {"namespace", Value::Of("default")},
                                {"labels", Obj({{"app", Value::Of("web")}})}})},
              {"spec", Obj({{"nodeName", Value::Of(fmt::format("node-{}", i % nodes))},
                            {"containers", value::Arr({Obj({{"name", Value::Of("c")},
                                                            {"image", Value::Of("i:1")}})})}})}});
}

// One server with `watchers` kubelets (a watch of spec.nodeName each) and one pod a kubelet, at
// most 50.
class Cluster {
 public:
  explicit Cluster(std::size_t watchers)
      : sim(sim::SimulationOptions()),
        network(sim, sim::LatencyRange()),
        shared(sim, network, kinds, identities, api::Compat::k1_36),
        etcd(network, store::EtcdOptions()),
        server(shared, etcd, ServerOptions()) {
    etcd.process().Start();
    server.Start();
    while (!server.ready()) sim.Step();
    for (std::size_t i = 0; i < 50; ++i) {
      api::Request create = Make(api::Verb::kCreate);
      create.body = Pod(i, watchers);
      pods.push_back(Do(std::move(create)).object);
    }
    for (std::size_t i = 0; i < watchers; ++i) Watch(fmt::format("spec.nodeName=node-{}", i));
  }
  ~Cluster() { sim.Shutdown(); }

  api::Request Make(api::Verb verb) const {
    api::Request request;
    request.verb = verb;
    request.resource = kinds.ByName("pods");
    request.ns = "default";
    request.user = "system:admin";
    request.client = "bench";
    return request;
  }
  api::Response Do(api::Request request) {
    api::Response answer;
    answer.code = 0;
    server.endpoint().Accept(
        std::move(request), [&answer](api::Response r) { answer = std::move(r); }, nullptr);
    while (answer.code == 0) sim.Step();
    return answer;
  }
  void Watch(std::string fields) {
    api::Request request = Make(api::Verb::kWatch);
    request.ns.clear();
    request.list.field_selector = std::move(fields);
    request.list.resource_version = std::to_string(etcd.store().revision());
    request.list.timeout_seconds = 1'000'000;
    server.endpoint().Accept(
        std::move(request), [](api::Response) {}, std::make_shared<CountingSink>(events));
    sim.RunUntil(sim.now());
  }
  // A kubelet's status patch, as a whole object.
  void WriteStatus(std::size_t i) {
    static const Path kStart{"status", "startTime"};
    api::Object& pod = pods[i % pods.size()];
    api::Request update = Make(api::Verb::kUpdate);
    update.subresource = "status";
    update.name = pod.name();
    update.body =
        pod.ToTree().Set(kStart, Value::Of(fmt::format("2025-01-01T{:02}:{:02}:{:02}Z",
                                                       i / 3600 % 24, i / 60 % 60, i % 60)));
    const api::Response r = Do(std::move(update));
    if (r.code != 200) std::abort();
    pod = r.object;
  }

  sim::Simulation sim;
  sim::Network network;
  api::Kinds kinds;
  api::Identities identities;
  Shared shared;
  store::Etcd etcd;
  Server server;
  std::vector<api::Object> pods;
  std::int64_t events = 0;
};

std::size_t HeapBytes() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

// The memory of an open watch without events. It runs first, because coroutine frames that other
// benchmarks have given back would not be counted.
void IdleWatcher(benchmark::State& state) {
  for (auto _ : state) {
    Cluster cluster(1);
    const std::size_t before = HeapBytes();
    constexpr std::size_t kWatchers = 5000;
    for (std::size_t i = 0; i < kWatchers; ++i)
      cluster.Watch(fmt::format("spec.nodeName=node-{}", i));
    state.counters["bytes"] =
        static_cast<double>(HeapBytes() - before) / static_cast<double>(kWatchers);
  }
}
BENCHMARK(IdleWatcher)->Iterations(1)->Unit(benchmark::kMillisecond);

// From the arrival of the request to the answer: decode, default, admit, validate, store; and the
// event to the watcher it concerns.
void PodStatusWrite(benchmark::State& state) {
  Cluster cluster(static_cast<std::size_t>(state.range(0)));
  std::size_t i = 0;
  // The first writes pay for memory touched for the first time and for tables that grow.
  while (i < 2000) cluster.WriteStatus(++i);
  const std::int64_t before = cluster.events;
  const std::size_t warm = i;
  for (auto _ : state) cluster.WriteStatus(++i);
  state.counters["eventsPerWrite"] =
      static_cast<double>(cluster.events - before) / static_cast<double>(i - warm);
}
// The second must not be 100 times the first: a write asks no watcher it does not concern.
BENCHMARK(PodStatusWrite)->Arg(50)->Arg(5000);

Value At(std::size_t i, std::int64_t n) {
  return Pod(i, 5000).Set(Path{"metadata", "generation"}, Value::Of(n));
}

// One event among 5000 watchers: through the index, and by asking each.
struct Dispatch {
  explicit Dispatch(int watchers) : sim(sim::SimulationOptions()), host(sim) {
    api::Request request;
    request.resource = kinds.ByName("pods");
    for (int i = 0; i < watchers; ++i) {
      api::ListOptions options;
      options.field_selector = fmt::format("spec.nodeName=node-{}", i);
      auto predicate = Predicate::Make(*request.resource, "", "", options);
      streams.push_back(std::make_unique<ServedWatch>(
          host, static_cast<std::uint64_t>(i + 1), request, "", [](api::Response) {},
          std::make_shared<CountingSink>(events)));
      auto watcher = std::make_unique<CacheWatcher>(*streams.back(), *predicate, 10, false,
                                                    VirtualTime::Max(), api::Variants());
      all.push_back(watcher.get());
      index.Add(std::move(watcher));
    }
    event.type = api::WatchEventType::kModified;
    event.key = "default/web-000007";
    event.revision = 2;
    event.object = api::Object::FromTree(At(7, 2), 2);
    event.previous = api::Object::FromTree(At(7, 1), 1);
  }
  sim::Simulation sim;
  Host host;
  api::Kinds kinds;
  std::vector<std::unique_ptr<ServedWatch>> streams;
  WatcherIndex index;
  std::vector<CacheWatcher*> all;
  CacheEvent event;
  std::int64_t events = 0;
};

void DispatchByIndex(benchmark::State& state) {
  Dispatch d(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    for (CacheWatcher* w : d.index.Interested(d.event))
      benchmark::DoNotOptimize(TypeFor(d.event, w->predicate()));
  }
}
BENCHMARK(DispatchByIndex)->Arg(50)->Arg(5000);

void DispatchByAskingAll(benchmark::State& state) {
  Dispatch d(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    for (CacheWatcher* w : d.all) benchmark::DoNotOptimize(TypeFor(d.event, w->predicate()));
  }
}
BENCHMARK(DispatchByAskingAll)->Arg(50)->Arg(5000);

// One event to N watchers that all see it: what each costs, and whether the object's size matters
// (`labels` more of them).
void FanOut(benchmark::State& state) {
  sim::Simulation sim{sim::SimulationOptions()};
  Host host(sim);
  const api::Kinds kinds;
  api::Request request;
  request.resource = kinds.ByName("pods");
  std::int64_t events = 0;
  std::vector<std::shared_ptr<ServedWatch>> streams;
  std::vector<std::unique_ptr<CacheWatcher>> all;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    auto stream = std::make_shared<ServedWatch>(
        host, i, request, "", [](api::Response) {}, std::make_shared<CountingSink>(events));
    stream->Accept(api::Response::From::kCache);
    auto predicate = Predicate::Make(*request.resource, "", "", api::ListOptions());
    all.push_back(std::make_unique<CacheWatcher>(*stream, *predicate, 10, false, VirtualTime::Max(),
                                                 api::Variants()));
    streams.push_back(std::move(stream));
  }
  Value pod = At(7, 2);
  for (std::int64_t i = 0; i < state.range(0); ++i)
    pod = pod.Set(Path{"metadata", "labels", value::PathStep(fmt::format("label-{}", i))},
                  Value::Of("value"));
  CacheEvent event;
  event.type = api::WatchEventType::kModified;
  event.key = "default/web-000007";
  event.revision = 2;
  event.object = api::Object::FromTree(pod, 2);
  event.previous = api::Object::FromTree(At(7, 1), 1);
  for (auto _ : state) {
    ConvertedEvent change(event, *request.resource, api::Variants::DeleteRV::kDeletionRV);
    for (const auto& watcher : all) watcher->Offer(change);
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(FanOut)->Arg(0)->Arg(1000);

// A list of 10,000 pods from the cache, from the request to the answer.
void ListPods(benchmark::State& state) {
  Cluster cluster(50);
  for (std::size_t i = 50; i < 10'000; ++i) {
    api::Request create = cluster.Make(api::Verb::kCreate);
    create.body = Pod(i, 50);
    cluster.Do(std::move(create));
  }
  cluster.sim.RunUntil(cluster.sim.now() + Seconds(1));
  for (auto _ : state) {
    api::Request list = cluster.Make(api::Verb::kList);
    list.list.resource_version = "0";
    const api::Response answer = cluster.Do(std::move(list));
    if (answer.items.size() != 10'000) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * 10'000);
}
BENCHMARK(ListPods);

// An exact list some changes ago: undoing the younger ones, against copying the present state.
void ListExact(benchmark::State& state) {
  WatchCache cache(true, true);
  std::vector<api::Object> objects;
  for (std::size_t i = 0; i < 5000; ++i) objects.push_back(api::Object::FromTree(At(i, 1), 1));
  cache.Replace(std::move(objects), 10);
  for (std::size_t i = 0; i < 1000; ++i)
    cache.Apply(api::WatchEventType::kModified, 0,
                api::Object::FromTree(At(i * 5, 2), static_cast<std::int64_t>(11 + i)),
                VirtualTime(), sim::Origin());
  const std::int64_t asked = cache.revision() - state.range(0);
  for (auto _ : state) benchmark::DoNotOptimize(cache.ListExact(asked, "", ""));
}
BENCHMARK(ListExact)->Arg(0)->Arg(10)->Arg(1000);

}  // namespace
}  // namespace ksim::apiserver
