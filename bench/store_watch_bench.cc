// Watches of the store: creating and canceling them, and what a write costs for each that it
// concerns. Where etcd has a goroutine that reads, the stream is read after every put.
#include "bench/store_bench.h"

namespace ksim::store {
namespace {

// The first: watches; the second: bytes of a value. Time is for each delivered event.
void fanout(benchmark::State& state) {
  Store store;
  Fill(&store, kKeys);
  std::vector<std::unique_ptr<WatchStream>> streams;
  for (std::int64_t i = 0; i < state.range(0); ++i) streams.push_back(WatchAllPods(&store));
  const std::vector<PutRequest> puts = Puts(kKeys, static_cast<std::size_t>(state.range(1)));
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(store.Put(puts[i++ % kKeys]));
    for (const auto& stream : streams) benchmark::DoNotOptimize(stream->Next());
  }
  state.counters["items"] = static_cast<double>(state.range(0));
}
BENCHMARK(fanout)->Name("fanout_1")->Args({1, 1024})->Iterations(19'968);
BENCHMARK(fanout)->Name("fanout_10")->Args({10, 1024})->Iterations(19'968);
BENCHMARK(fanout)->Name("fanout_100")->Args({100, 1024})->Iterations(6'400);
BENCHMARK(fanout)->Name("fanout_1000")->Args({1'000, 1024})->Iterations(640);
BENCHMARK(fanout)->Name("fanout_100_16k")->Args({100, 16'384})->Iterations(6'400);

// 10,000 watches of one key each on one stream; every put concerns one.
void fanout_selective(benchmark::State& state) {
  Store store;
  const auto stream = store.NewWatchStream();
  for (int i = 0; i < kKeys; ++i) stream->Watch(WatchRequest(PodKey(i), "", 0));
  while (stream->Next()) {
  }
  const std::vector<PutRequest> puts = Puts(kKeys);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(store.Put(puts[i++ % kKeys]));
    benchmark::DoNotOptimize(stream->Next());
  }
}
BENCHMARK(fanout_selective)->Iterations(50'000);

// A single-key watch on a key of its own, with the making of the key.
void watch_create(benchmark::State& state) {
  Store store;
  const auto stream = store.NewWatchStream();
  int i = 0;
  for (auto _ : state) {
    stream->Watch(WatchRequest(fmt::format("foo{}", i++), "", 0));
    benchmark::DoNotOptimize(stream->Next());
  }
}
BENCHMARK(watch_create)->Iterations(200'000);

// One of many watches on one key, in an order without pattern.
void watch_cancel_synced(benchmark::State& state) {
  Store store;
  const auto stream = store.NewWatchStream();
  const std::int64_t n = state.max_iterations;
  std::vector<WatchId> ids;
  for (std::int64_t i = 0; i < n; ++i) {
    ids.push_back(stream->Watch(WatchRequest("testkey", "", 0)));
    benchmark::DoNotOptimize(stream->Next());
  }
  std::int64_t i = 0;
  for (auto _ : state) {
    stream->Cancel(ids[static_cast<std::size_t>(i++ * 611'953 % n)]);  // a prime: each once
    benchmark::DoNotOptimize(stream->Next());
  }
}
BENCHMARK(watch_cancel_synced)->Iterations(1'000'000);

// 100,000 watches of one key on one stream; a put that concerns all of them, until its client has
// read all of it. Nearly all find the stream full and are retried. Time is for each watch.
void watch_put_sync(benchmark::State& state) {
  constexpr int kWatches = 100'000;
  Store store;
  const auto stream = store.NewWatchStream();
  for (int i = 0; i < kWatches; ++i) {
    stream->Watch(WatchRequest("testkey", "", 0));
    benchmark::DoNotOptimize(stream->Next());
  }
  const PutRequest put("testkey", value::Value::String("testval"));
  for (auto _ : state) {
    benchmark::DoNotOptimize(store.Put(put));
    for (int got = 0; got < kWatches; store.RetryVictims()) {
      while (stream->Next()) ++got;
    }
  }
  state.counters["items"] = kWatches;
}
BENCHMARK(watch_put_sync)->Iterations(1);

// A history, then one watch from its beginning. Time is for each event.
void catchup(benchmark::State& state) {
  Store store;
  const std::vector<PutRequest> puts = Puts(1'000);
  for (std::int64_t i = 0; i < state.range(0); ++i)
    benchmark::DoNotOptimize(store.Put(puts[static_cast<std::size_t>(i % 1'000)]));
  for (auto _ : state) {
    const std::unique_ptr<WatchStream> stream = WatchAllPods(&store, 2);
    for (std::size_t got = 0; got < static_cast<std::size_t>(state.range(0));) {
      store.SyncWatchers();
      while (const std::optional<WatchResponse> r = stream->Next()) got += r->events.size();
    }
  }
  state.counters["items"] = static_cast<double>(state.range(0));
}
BENCHMARK(catchup)->Name("catchup_10000")->Arg(10'000)->Iterations(1);

}  // namespace
}  // namespace ksim::store
