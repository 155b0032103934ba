// The store, synchronous, without messages. Names, key and value sizes are those of etcd's own
// package benchmarks (server/storage/mvcc/*_bench_test.go) and of put_new ... fanout_100 shaped
// like Kubernetes' use: keys /registry/pods/default/pod-NNNNNN, values of 1 KiB. etcd also pays for
// encoding, locks and a durable write buffer, which an in-memory simulator does not need.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <memory>
#include <string>
#include <vector>

#include "ksim/store/store.h"

namespace ksim::store {
namespace {

constexpr int kKeys = 10'000;

std::string PodKey(std::int64_t i) { return fmt::format("/registry/pods/default/pod-{:06}", i); }

std::vector<PutRequest> Puts(std::int64_t n, std::size_t value_bytes) {
  const value::Value value = value::Value::String(std::string(value_bytes, 'x'));
  std::vector<PutRequest> puts;
  for (std::int64_t i = 0; i < n; ++i) puts.emplace_back(PodKey(i), value);
  return puts;
}

void Fill(Store* store, std::int64_t n) {
  for (const PutRequest& put : Puts(n, 1024)) benchmark::DoNotOptimize(store->Put(put));
}

// New keys of 64 bytes, values of 64.
void store_put(benchmark::State& state) {
  Store store;
  std::vector<PutRequest> puts;
  for (std::int64_t i = 0; i < state.max_iterations; ++i) {
    puts.emplace_back(fmt::format("{:064}", static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u),
                      value::Value::String(std::string(64, 'x')));
  }
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(store.Put(puts[i++]));
}
BENCHMARK(store_put)->Iterations(200'000);

// One key of 64 bytes over and over, values of 1 KiB.
void store_put_update(benchmark::State& state) {
  Store store;
  const PutRequest put(std::string(64, 'k'), value::Value::String(std::string(1024, 'x')));
  for (auto _ : state) benchmark::DoNotOptimize(store.Put(put));
}
BENCHMARK(store_put_update)->Iterations(200'000);

void put_new(benchmark::State& state) {
  Store store;
  const std::vector<PutRequest> puts = Puts(state.max_iterations, 1024);
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(store.Put(puts[i++]));
}
BENCHMARK(put_new)->Iterations(100'000);

void put_update(benchmark::State& state) {
  Store store;
  const std::vector<PutRequest> puts = Puts(kKeys, 1024);
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(store.Put(puts[i++ % kKeys]));
}
BENCHMARK(put_update)->Iterations(100'000);

void delete_one(benchmark::State& state) {
  Store store;
  Fill(&store, state.max_iterations);
  std::vector<DeleteRangeRequest> deletes;
  for (std::int64_t i = 0; i < state.max_iterations; ++i) deletes.emplace_back(PodKey(i));
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(store.DeleteRange(deletes[i++]));
}
BENCHMARK(delete_one)->Iterations(50'000);

// A transaction as an API server writes: compare the mod revision, put, else get.
void guarded_update(benchmark::State& state) {
  Store store;
  const PutRequest put(PodKey(0), value::Value::String(std::string(1024, 'x')));
  Revision expected = 0;
  for (auto _ : state) {
    const absl::StatusOr<TxnResponse> r = store.Txn(OptimisticPut(put, expected, true));
    expected = r->header.revision;
  }
}
BENCHMARK(guarded_update)->Iterations(50'000);

void get(benchmark::State& state) {
  Store store;
  Fill(&store, kKeys);
  std::vector<RangeRequest> gets;
  for (int i = 0; i < kKeys; ++i) gets.emplace_back(PodKey((i * 7919) % kKeys));
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(store.Range(gets[i++ % kKeys]));
}
BENCHMARK(get);

// Time is for each key. Argument: how many revisions back.
void list_all_10k(benchmark::State& state) {
  Store store;
  Fill(&store, kKeys);
  Fill(&store, kKeys);
  RangeRequest list("/registry/pods/", "/registry/pods0");
  list.revision = state.range(0) == 0 ? 0 : store.revision() - state.range(0);
  for (auto _ : state) benchmark::DoNotOptimize(store.Range(list));
  state.SetItemsProcessed(state.iterations() * kKeys);
}
BENCHMARK(list_all_10k)->Arg(0)->Arg(5'000);

void list_page_500(benchmark::State& state) {
  Store store;
  Fill(&store, kKeys);
  RangeRequest list("/registry/pods/", "/registry/pods0");
  list.limit = 500;
  for (auto _ : state) benchmark::DoNotOptimize(store.Range(list));
}
BENCHMARK(list_page_500);

// Items: delivered events. Each watch on its own stream, read after every put.
void fanout(benchmark::State& state) {
  Store store;
  std::vector<std::unique_ptr<WatchStream>> streams;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    streams.push_back(store.NewWatchStream());
    streams.back()->Watch(WatchRequest("/registry/pods/", "/registry/pods0", 0));
    benchmark::DoNotOptimize(streams.back()->Next());
  }
  const std::vector<PutRequest> puts = Puts(kKeys, 1024);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(store.Put(puts[i++ % kKeys]));
    for (const auto& stream : streams) benchmark::DoNotOptimize(stream->Next());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(fanout)->Name("fanout_100")->Arg(100)->Iterations(6'400);
BENCHMARK(fanout)->Name("fanout_1000")->Arg(1'000)->Iterations(640);

// 10,000 watches of one key each on one stream; every put concerns one.
void fanout_selective(benchmark::State& state) {
  Store store;
  const auto stream = store.NewWatchStream();
  for (int i = 0; i < kKeys; ++i) stream->Watch(WatchRequest(PodKey(i), "", 0));
  while (stream->Next()) {
  }
  const std::vector<PutRequest> puts = Puts(kKeys, 1024);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(store.Put(puts[i++ % kKeys]));
    benchmark::DoNotOptimize(stream->Next());
  }
}
BENCHMARK(fanout_selective)->Iterations(50'000);

void watch_create_cancel(benchmark::State& state) {
  Store store;
  const auto stream = store.NewWatchStream();
  const WatchRequest request("/registry/pods/default/a", "", 0);
  for (auto _ : state) {
    stream->Cancel(stream->Watch(request));
    while (stream->Next()) {
    }
  }
}
BENCHMARK(watch_create_cancel);

// Time is for each revision.
void compact(benchmark::State& state) {
  const std::vector<PutRequest> puts = Puts(kKeys, 1024);
  for (auto _ : state) {
    state.PauseTiming();
    auto store = std::make_unique<Store>();
    for (int round = 0; round < 5; ++round) {
      for (const PutRequest& put : puts) benchmark::DoNotOptimize(store->Put(put));
    }
    state.ResumeTiming();
    benchmark::DoNotOptimize(store->Compact(CompactRequest(store->revision(), WriteOrigin())));
    state.PauseTiming();
    store.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * 5 * kKeys);
}
BENCHMARK(compact);

// Heap bytes of one more version of a key, beside its value, which is shared here.
void memory_per_version(benchmark::State& state) {
  const std::vector<PutRequest> puts = Puts(kKeys, 1024);
  double bytes = 0;
  for (auto _ : state) {
    Store store;
    for (const PutRequest& put : puts) benchmark::DoNotOptimize(store.Put(put));
    const std::size_t before = mallinfo2().uordblks;
    for (int round = 0; round < 15; ++round) {
      for (const PutRequest& put : puts) benchmark::DoNotOptimize(store.Put(put));
    }
    bytes = static_cast<double>(mallinfo2().uordblks - before) / (15.0 * kKeys);
  }
  state.counters["B/version"] = bytes;
}
BENCHMARK(memory_per_version)->Iterations(1);

}  // namespace
}  // namespace ksim::store
